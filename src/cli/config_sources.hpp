// Options from a file, the environment and the command line, joined: a higher source replaces a lower one
// option by option, and what excludes it along with it.
#pragma once

#include <map>
#include <span>
#include <string>
#include <vector>

#include "values.hpp"

namespace infermeter {

/// Environment variables by name, as the caller found them.
using Variables = std::map<std::string, std::string>;

/// INFERMETER_<OPTION>; an unknown one is a UsageError that names the nearest.
std::vector<Given> from_variables(std::span<const OptionSpec> specs, const Variables& variables);
/// The TOML file; an unknown name is a UsageError that names file, line and the nearest.
std::vector<Given> from_file(std::span<const OptionSpec> specs, const std::string& path);

/// Command line over environment over file (which the higher two may name: --config). Options that exclude
/// each other are refused within one source; across sources the higher one wins.
Values join_sources(std::span<const OptionSpec> specs, const Variables& variables,
                    const std::vector<Given>& typed);

}  // namespace infermeter
