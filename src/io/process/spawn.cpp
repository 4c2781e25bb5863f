#include "io/process/spawn.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <signal.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <system_error>
#include <thread>

#include "infermeter/base/errors.hpp"

namespace infermeter {
namespace {

class SpawnSetup {
 public:
  explicit SpawnSetup(int output) {
    posix_spawnattr_init(&attributes);
    posix_spawn_file_actions_init(&actions);
    posix_spawnattr_setpgroup(&attributes, 0);
    // Signals that this program handles in a thread are blocked or ignored here; the command gets the
    // defaults.
    sigset_t none, standard;
    sigemptyset(&none);
    sigemptyset(&standard);
    for (const int signal : {SIGINT, SIGTERM, SIGPIPE}) sigaddset(&standard, signal);
    posix_spawnattr_setsigmask(&attributes, &none);
    posix_spawnattr_setsigdefault(&attributes, &standard);
    posix_spawnattr_setflags(&attributes,
                             POSIX_SPAWN_SETPGROUP | POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF);
    // Reading from the terminal would stop a process group in the background.
    posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
    posix_spawn_file_actions_adddup2(&actions, output, STDOUT_FILENO);
    posix_spawn_file_actions_adddup2(&actions, output, STDERR_FILENO);
  }
  ~SpawnSetup() {
    posix_spawn_file_actions_destroy(&actions);
    posix_spawnattr_destroy(&attributes);
  }
  SpawnSetup(const SpawnSetup&) = delete;
  SpawnSetup& operator=(const SpawnSetup&) = delete;

  posix_spawnattr_t attributes{};
  posix_spawn_file_actions_t actions{};
};

std::vector<std::string> environment_with(const std::vector<std::pair<std::string, std::string>>& variables) {
  std::vector<std::string> all;
  for (char** entry = environ; *entry != nullptr; ++entry) all.emplace_back(*entry);
  for (const auto& [name, value] : variables) all.push_back(fmt::format("{}={}", name, value));
  return all;
}

std::vector<char*> pointers_to(std::vector<std::string>& texts) {
  std::vector<char*> out;
  for (auto& text : texts) out.push_back(text.data());
  out.push_back(nullptr);
  return out;
}

constexpr auto kPollShell = std::chrono::milliseconds(5);

// SIGTERM first, then SIGKILL: a command must not keep a run from ending.
int terminate(pid_t group) {
  constexpr int kPatience = 400;  // polls: two seconds
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

pid_t spawn_shell(const std::string& command,
                  const std::vector<std::pair<std::string, std::string>>& variables, int output) {
  SpawnSetup setup(output);
  std::vector<std::string> words{"sh", "-c", command};
  std::vector<std::string> environment = environment_with(variables);
  pid_t child = 0;
  const int failed = posix_spawn(&child, "/bin/sh", &setup.actions, &setup.attributes,
                                 pointers_to(words).data(), pointers_to(environment).data());
  if (failed != 0)
    throw EnvironmentError(
        fmt::format("cannot run '{}': {}", command, std::generic_category().message(failed)));
  return child;
}

int status_of_wait(int wait_status) {
  return WIFEXITED(wait_status) ? WEXITSTATUS(wait_status) : 128 + WTERMSIG(wait_status);
}

int run_shell_command(const std::string& command,
                      const std::vector<std::pair<std::string, std::string>>& variables,
                      const std::atomic<bool>& interrupt) {
  // Standard output is reserved for the result.
  const pid_t child = spawn_shell(command, variables, STDERR_FILENO);
  int status = 0;
  while (waitpid(child, &status, WNOHANG) == 0) {
    if (interrupt) return terminate(child);
    std::this_thread::sleep_for(kPollShell);
  }
  return status_of_wait(status);
}

}  // namespace infermeter
