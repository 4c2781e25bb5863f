// A command of the user's under its supervisor (supervisor.hpp): the side of the program that asked for it.
#pragma once

#include <sys/types.h>

#include <chrono>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace infermeter {

/// What becomes of the processes that a command leaves in the background when it ends.
enum class Leftovers { belong_to_it, are_let_go };

/// `sh -c command` in a session of its own. All processes that it starts end with it, and with this program
/// however that ends. One thread at a time.
class SupervisedCommand {
 public:
  /// These variables are added to the caller's; standard input is empty, standard output and error go to
  /// `output`. Throws EnvironmentError if no process can be started.
  SupervisedCommand(const std::string& command,
                    const std::vector<std::pair<std::string, std::string>>& variables, int output,
                    Leftovers leftovers);
  /// Kills what still runs.
  ~SupervisedCommand();
  SupervisedCommand(const SupervisedCommand&) = delete;
  SupervisedCommand& operator=(const SupervisedCommand&) = delete;

  /// Whether any process of it still runs; waits up to `time` for the last one to end.
  bool running(std::chrono::milliseconds time = {});
  /// waitpid's status of the command itself, once it has ended.
  std::optional<int> status() const { return status_; }
  /// SIGTERM to all of it, SIGKILL after `patience`; returns when none is left.
  void end(std::chrono::milliseconds patience);

 private:
  void start(const std::string& command, Leftovers leftovers);
  void take_reports();
  void supervisor_ended();

  int socket_ = -1;  // −1: the supervisor has ended
  pid_t supervisor_ = 0;
  pid_t group_ = 0;  // of the command
  std::optional<int> failed_;
  std::optional<int> status_;
  bool done_ = false;
};

/// Kills all commands that run now; for a signal handler that is about to end the program.
void kill_commands_now() noexcept;

}  // namespace infermeter
