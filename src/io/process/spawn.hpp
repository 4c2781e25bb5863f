// Starts the user's commands by the shell, each in a process group of its own. Private to src/io.
#pragma once

#include <sys/types.h>

#include <atomic>
#include <string>
#include <utility>
#include <vector>

namespace infermeter {

/// Starts `sh -c command` with these variables beside the caller's and no signal blocked or ignored; standard
/// output and error go to `output`, standard input is empty. Returns the process, which leads its group.
/// Throws EnvironmentError.
pid_t spawn_shell(const std::string& command,
                  const std::vector<std::pair<std::string, std::string>>& variables, int output);

/// The exit status of a process that waitpid told of: 128 + the signal that ended it.
int status_of_wait(int wait_status);

/// Runs `sh -c command` in a process group of its own, with these variables beside the caller's; its output
/// goes where the caller's standard error goes. Returns its exit status (128 + the signal that ended it).
/// When `*interrupt` is set the whole group is terminated and 130 returned. Throws EnvironmentError if no
/// process can be started.
int run_shell_command(const std::string& command,
                      const std::vector<std::pair<std::string, std::string>>& variables,
                      const std::atomic<bool>& interrupt);

}  // namespace infermeter
