// Starts the user's commands by the shell, each in a process group of its own. Private to src/io.
#pragma once

#include <sys/types.h>

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

}  // namespace infermeter
