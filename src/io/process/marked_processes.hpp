// Processes that were started by a command, wherever they have gone since: `timeout`, `setsid` and shells
// with job control leave the group that they were started in, but keep its environment. Private to src/io.
#pragma once

#include <sys/types.h>

#include <string>
#include <string_view>
#include <vector>

namespace infermeter {

/// Those that run and whose first environment holds `mark` ("NAME=value"), as far as this user may look.
std::vector<pid_t> marked_processes(std::string_view mark);

}  // namespace infermeter
