#include "io/process/child_process.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <fstream>
#include <system_error>

#include "infermeter/base/errors.hpp"

namespace infermeter {
namespace {

constexpr auto kLookAtLimit = std::chrono::milliseconds(20);
constexpr auto kCommandPatience = std::chrono::seconds(2);  // a command must not keep a run from ending

}  // namespace

std::optional<int> run_shell_command(const std::string& command,
                                     const std::vector<std::pair<std::string, std::string>>& variables,
                                     const TimeLimit& limit, int output) {
  constexpr int kKilled = 128 + 9;  // its supervisor was, and it with it
  // Standard output is reserved for the result.
  SupervisedCommand process(command, variables, output < 0 ? STDERR_FILENO : output, Leftovers::are_let_go);
  while (process.running(kLookAtLimit)) {
    if (!limit.over(now())) continue;
    process.end(kCommandPatience);
    return std::nullopt;
  }
  const auto status = process.status();
  if (!status) return kKilled;
  return WIFEXITED(*status) ? WEXITSTATUS(*status) : 128 + WTERMSIG(*status);
}

ServerProcess::ServerProcess(const std::string& command, const std::string& log_path, std::uint64_t log_limit,
                             Secrets secrets)
    : log_(log_path, log_limit, std::move(secrets)) {
  process_.emplace(command, std::vector<std::pair<std::string, std::string>>(), log_.input(),
                   Leftovers::belong_to_it);
  log_.close_input();
}

ServerProcess::~ServerProcess() { stop(); }

std::string ServerProcess::how_it_ended() const {
  const auto status = process_->status();
  if (!status) return "no exit status";
  if (WIFSIGNALED(*status)) return fmt::format("signal {}", WTERMSIG(*status));
  return fmt::format("exit status {}", WEXITSTATUS(*status));
}

void ServerProcess::stop(std::chrono::milliseconds patience) {
  process_->end(patience);
  log_.close();
}

}  // namespace infermeter
