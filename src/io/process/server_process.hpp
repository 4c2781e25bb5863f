// A server started by the user's command: in a process group of its own, its output in a file, ended with all
// processes that it started, including those that left the group. One thread at a time.
#pragma once

#include <sys/types.h>

#include <chrono>
#include <optional>
#include <string>

namespace infermeter {

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
