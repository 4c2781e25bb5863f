// A server that the user's command starts: in a process group of its own, its output in a file, ended with
// all that it has started, also what has left that group since. One thread at a time.
#pragma once

#include <sys/types.h>

#include <chrono>
#include <optional>
#include <string>

namespace infermeter {

class ServerProcess {
 public:
  /// Runs `sh -c command`; `log_path` gets what it writes, from its beginning. Throws EnvironmentError.
  ServerProcess(const std::string& command, const std::string& log_path);
  /// stop()
  ~ServerProcess();
  ServerProcess(const ServerProcess&) = delete;
  ServerProcess& operator=(const ServerProcess&) = delete;

  /// Whether anything of it still runs: a command that goes on in the background has not ended.
  bool running();
  /// "exit status 1" or "signal 9" of the command itself, once it has ended.
  std::string how_it_ended() const;
  /// Asks all of it to end, waits up to `patience`, then makes it end. Nothing to do the second time.
  void stop(std::chrono::milliseconds patience = std::chrono::seconds(30));
  /// The end of what it wrote: at most so many lines.
  std::string last_lines(std::size_t most) const;

 private:
  void reap();
  void signal_all(int signal) const;

  pid_t group_ = 0;
  std::string mark_;  // in the environment of all that the command starts
  std::string log_path_;
  std::optional<int> status_;
  std::chrono::steady_clock::time_point last_search_;
  bool found_ = true;  // by the last search
};

/// Ends the group of every server that runs, at once; for a signal handler that is about to leave the
/// program.
void kill_servers_now() noexcept;

}  // namespace infermeter
