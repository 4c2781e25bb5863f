// The words of a command line as options of a table, in the order in which they were typed. The only room
// that knows the command-line library.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "cli/options/option_table.hpp"
#include "cli/options/values.hpp"

namespace infermeter {

/// Flags come as "true" or "false", an optional value that was left out as "". Throws UsageError for an
/// unknown option (with a hint or the nearest name), a missing value, an argument too many, and for any
/// option that would take a key; the error never holds what was typed behind it. `--help` wins over all.
std::vector<Given> read_tokens(std::span<const OptionSpec> specs, const std::vector<std::string>& words);

}  // namespace infermeter
