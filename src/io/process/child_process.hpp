// The user's commands, started with the shell, each in its own process group: a command that runs to its end,
// and a server.
#pragma once

#include <sys/types.h>

#include <atomic>
#include <chrono>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace infermeter {

/// Runs `sh -c command` in its own process group, with these variables added to the caller's; its output goes
/// to the caller's standard error. Returns its exit status (128 + the signal that ended it). When
/// `*interrupt` is set, the whole group is terminated and 130 returned. Throws EnvironmentError if no process
/// can be started.
int run_shell_command(const std::string& command,
                      const std::vector<std::pair<std::string, std::string>>& variables,
                      const std::atomic<bool>& interrupt);

/// A server started by the user's command: its output in a file, ended with all processes that it started,
/// including those that left the group. One thread at a time.
class ServerProcess {
 public:
  /// Runs `sh -c command`; its output goes to `log_path`, which is truncated first. Throws EnvironmentError.
  ServerProcess(const std::string& command, const std::string& log_path);
  /// stop()
  ~ServerProcess();
  ServerProcess(const ServerProcess&) = delete;
  ServerProcess& operator=(const ServerProcess&) = delete;

  /// Whether any process of it still runs: a command that continues in the background has not ended.
  bool running();
  /// "exit status 1" or "signal 9" of the command itself, once it has ended.
  std::string how_it_ended() const;
  /// Terminates all of it, waits up to `patience`, then kills it. A second call does nothing.
  void stop(std::chrono::milliseconds patience = std::chrono::seconds(30));
  /// The end of its output: at most this many lines.
  std::string last_lines(std::size_t most) const;

 private:
  void reap();
  void signal_all(int signal) const;

  pid_t group_ = 0;
  std::string mark_;  // in the environment of all processes that the command starts
  std::string log_path_;
  std::optional<int> status_;
  std::chrono::steady_clock::time_point last_search_;
  bool found_ = true;  // result of the last search
};

/// Kills the group of every running server at once; for a signal handler that is about to end the program.
void kill_servers_now() noexcept;

}  // namespace infermeter
