// A command of the user's, run by the shell and waited for: --before-point, --after-point.
#pragma once

#include <atomic>
#include <string>
#include <utility>
#include <vector>

namespace infermeter {

/// Runs `sh -c command` in a process group of its own, with these variables beside the caller's; its output
/// goes where the caller's standard error goes. Returns its exit status (128 + the signal that ended it).
/// When `*interrupt` is set the whole group is terminated and 130 returned. Throws EnvironmentError if no
/// process can be started.
int run_shell_command(const std::string& command,
                      const std::vector<std::pair<std::string, std::string>>& variables,
                      const std::atomic<bool>& interrupt);

}  // namespace infermeter
