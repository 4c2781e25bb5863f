// `infermeter man [COMMAND]`: manual pages, made from the help.
#pragma once

#include <string>

#include "cli/commands.hpp"
#include "cli/options/values.hpp"

namespace infermeter {

struct ManRequest {
  std::string command;  // whose page it is; empty: the program's
  std::string out;      // folder for the pages of all; empty: this one on stdout
};
/// Throws UsageError for an unknown command.
ManRequest man_request(const Invocation& invocation);
/// In roff, for `man -l -`: in ASCII, without a date, so that the same program makes the same bytes.
std::string manual_text(const std::string& command);
ExitCode man_command(const ManRequest& request);

}  // namespace infermeter
