// The arguments of a command line as options of a table, in the order typed. Only this folder includes the
// command-line library.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "cli/options/option_table.hpp"
#include "cli/options/values.hpp"

namespace infermeter {

/// Flags become "true" or "false", an omitted optional value "". Throws UsageError for an unknown option
/// (with a hint or the nearest name), a missing value, too many arguments, and for any option that would take
/// a key; the error never contains the text typed after it. `--help` takes precedence over everything.
std::vector<Given> read_tokens(std::span<const OptionSpec> specs, const std::vector<std::string>& words);

}  // namespace infermeter
