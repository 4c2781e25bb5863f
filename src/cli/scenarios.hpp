// The built-in scenarios: configuration files compiled into the program (configs/scenarios).
#pragma once

#include <string>
#include <string_view>

#include "cli/options/source_file.hpp"
#include "cli/options/values.hpp"
#include "infermeter/base/errors.hpp"

namespace infermeter {

/// Finds a built-in scenario by name, or reads the user's file (a path has a '/' or ends in .toml). Throws
/// UsageError that names the nearest scenario, or the error in the file.
Source find_scenario(const std::string& name);
/// Its name for the result: for a path, the file name without its extension.
std::string scenario_name(std::string_view name);

/// The given name; empty: all.
std::string scenarios_request(const Invocation& invocation);

/// One entry per scenario with the command that runs it, or the file of the named one.
std::string scenarios_text(const std::string& name);
/// Prints it.
ExitCode scenarios_command(const std::string& name);

}  // namespace infermeter
