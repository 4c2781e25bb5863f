// Help pages, built from the list of commands and the option tables. At most 80 columns.
#pragma once

#include <string>

#include "cli/commands.hpp"

namespace infermeter {

std::string program_help();
std::string command_help(const CommandSpec& command);

/// Presets and faults of the simulator, for its help page.
std::string simulator_lists();

}  // namespace infermeter
