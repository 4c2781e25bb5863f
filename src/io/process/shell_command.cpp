#include "io/process/shell_command.hpp"

#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <thread>

#include "io/process/spawn.hpp"

namespace infermeter {
namespace {

constexpr auto kPollShell = std::chrono::milliseconds(5);

// Asked first, then made to: a command may not keep a run from ending.
int terminate(pid_t group) {
  constexpr int kPatience = 400;  // looks: two seconds
  kill(-group, SIGTERM);
  int status = 0;
  for (int i = 0; i < kPatience; ++i) {
    if (waitpid(group, &status, WNOHANG) == group) {
      kill(-group, SIGKILL);
      return 130;
    }
    std::this_thread::sleep_for(kPollShell);
  }
  kill(-group, SIGKILL);
  waitpid(group, &status, 0);
  return 130;
}

}  // namespace

int run_shell_command(const std::string& command,
                      const std::vector<std::pair<std::string, std::string>>& variables,
                      const std::atomic<bool>& interrupt) {
  // Standard output is the result's.
  const pid_t child = spawn_shell(command, variables, STDERR_FILENO);
  int status = 0;
  while (waitpid(child, &status, WNOHANG) == 0) {
    if (interrupt) return terminate(child);
    std::this_thread::sleep_for(kPollShell);
  }
  return status_of_wait(status);
}

}  // namespace infermeter
