// Starts the user's commands with the shell, each in its own process group. Private to src/io.
#pragma once

#include <sys/types.h>

#include <atomic>
#include <string>
#include <utility>
#include <vector>

namespace infermeter {

/// Starts `sh -c command` with these variables added to the caller's and no signal blocked or ignored;
/// standard output and error go to `output`, standard input is empty. Returns the process, which leads its
/// group. Throws EnvironmentError.
pid_t spawn_shell(const std::string& command,
                  const std::vector<std::pair<std::string, std::string>>& variables, int output);

/// The exit status from waitpid's status: 128 + the signal that ended the process.
int status_of_wait(int wait_status);

/// Runs `sh -c command` in its own process group, with these variables added to the caller's; its output goes
/// to the caller's standard error. Returns its exit status (128 + the signal that ended it). When
/// `*interrupt` is set, the whole group is terminated and 130 returned. Throws EnvironmentError if no process
/// can be started.
int run_shell_command(const std::string& command,
                      const std::vector<std::pair<std::string, std::string>>& variables,
                      const std::atomic<bool>& interrupt);

}  // namespace infermeter
