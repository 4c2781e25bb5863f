// The ready-made scenarios: configuration files that are built into the program (configs/scenarios).
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "cli/options/invocation.hpp"
#include "cli/options/source_file.hpp"
#include "infermeter/base/errors.hpp"

namespace infermeter {

struct ScenarioFile {
  std::string_view name;  // "chat"
  std::string_view text;  // TOML
};
std::span<const ScenarioFile> scenario_files();  // generated from the files

/// A name of these, or the path of a file of the user's own (it has a '/' or ends in .toml). Throws
/// UsageError that names the nearest, or what is wrong in the file.
Source find_scenario(const std::string& name);
/// Its name for the result: a path without folder and ending.
std::string scenario_name(std::string_view name);

/// The name that was given; empty: all.
std::string scenarios_request(const Invocation& invocation);

/// One entry for each with the command that runs it, or the file of the one named.
std::string scenarios_text(const std::string& name);
/// Prints it.
ExitCode scenarios_command(const std::string& name);

}  // namespace infermeter
