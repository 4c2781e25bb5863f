// The user's commands, started with the shell: a command that runs to its end, and a server. Each is owned by
// a supervisor (supervised_command.hpp), so that none outlives this program, however that ends.
#pragma once

#include <chrono>
#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/time_limit.hpp"
#include "io/process/bounded_log.hpp"
#include "io/process/supervised_command.hpp"

namespace infermeter {

/// Runs `sh -c command` with these variables added to the caller's; its output goes to `output`, the caller's
/// standard error if it is negative. Returns its exit status (128 + the signal that ended it). What it leaves
/// in the background goes on. When the limit is over, all of it is terminated, and killed two seconds later:
/// then it returns nothing. Throws EnvironmentError if no process can be started.
std::optional<int> run_shell_command(const std::string& command,
                                     const std::vector<std::pair<std::string, std::string>>& variables,
                                     const TimeLimit& limit, int output = -1);

/// A server started by the user's command: its output in a file, ended with all processes that it started.
/// One thread at a time.
class ServerProcess {
 public:
  /// Runs `sh -c command`; its output goes to `log_path`, which is truncated first and takes `log_limit`
  /// bytes at most, with the secrets masked. Throws EnvironmentError.
  ServerProcess(const std::string& command, const std::string& log_path,
                std::uint64_t log_limit = std::numeric_limits<std::uint64_t>::max(), Secrets secrets = {});
  /// stop()
  ~ServerProcess();
  ServerProcess(const ServerProcess&) = delete;
  ServerProcess& operator=(const ServerProcess&) = delete;

  /// Whether any process of it still runs: a command that continues in the background has not ended.
  bool running() { return process_->running(); }
  /// Whether the command itself has ended with another status than 0, as far as `running` has seen.
  bool failed() const { return process_->status().value_or(0) != 0; }
  /// "exit status 1" or "signal 9" of the command itself, once it has ended.
  std::string how_it_ended() const;
  /// Terminates all of it, waits up to `patience`, then kills it. A second call does nothing.
  void stop(std::chrono::milliseconds patience = std::chrono::seconds(30));
  /// The end of its output: at most this many lines.
  std::string last_lines(std::size_t most) { return log_.last_lines(most); }
  /// Whether its log lacks a part.
  bool log_cut() const { return log_.cut(); }

 private:
  BoundedLog log_;
  std::optional<SupervisedCommand> process_;
};

}  // namespace infermeter
