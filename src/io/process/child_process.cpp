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

int open_log(const std::string& path) {
  const int fd = open(path.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_APPEND, 0644);
  if (fd < 0)
    throw EnvironmentError(fmt::format("cannot write {}: {}", path, std::generic_category().message(errno)));
  return fd;
}

}  // namespace

std::optional<int> run_shell_command(const std::string& command,
                                     const std::vector<std::pair<std::string, std::string>>& variables,
                                     const TimeLimit& limit) {
  constexpr int kKilled = 128 + 9;  // its supervisor was, and it with it
  // Standard output is reserved for the result.
  SupervisedCommand process(command, variables, STDERR_FILENO, Leftovers::are_let_go);
  while (process.running(kLookAtLimit)) {
    if (!limit.over(now())) continue;
    process.end(kCommandPatience);
    return std::nullopt;
  }
  const auto status = process.status();
  if (!status) return kKilled;
  return WIFEXITED(*status) ? WEXITSTATUS(*status) : 128 + WTERMSIG(*status);
}

ServerProcess::ServerProcess(const std::string& command, const std::string& log_path) : log_path_(log_path) {
  const int log = open_log(log_path);
  try {
    process_.emplace(command, std::vector<std::pair<std::string, std::string>>(), log,
                     Leftovers::belong_to_it);
  } catch (...) {
    close(log);
    throw;
  }
  close(log);
}

ServerProcess::~ServerProcess() { stop(); }

std::string ServerProcess::how_it_ended() const {
  const auto status = process_->status();
  if (!status) return "no exit status";
  if (WIFSIGNALED(*status)) return fmt::format("signal {}", WTERMSIG(*status));
  return fmt::format("exit status {}", WEXITSTATUS(*status));
}

std::string ServerProcess::last_lines(std::size_t most) const {
  constexpr std::streamoff kMostBytes = 4000;
  std::ifstream file(log_path_, std::ios::binary | std::ios::ate);
  if (!file) return {};
  const std::streamoff size = file.tellg();
  const std::streamoff from = size > kMostBytes ? size - kMostBytes : 0;
  file.seekg(from);
  std::string text(static_cast<std::size_t>(size - from), '\0');
  file.read(text.data(), size - from);
  while (!text.empty() && text.back() == '\n') text.pop_back();
  std::size_t begin = text.size();
  for (std::size_t lines = 0; lines < most && begin != 0 && begin != std::string::npos; ++lines)
    begin = text.rfind('\n', begin - 1);
  return begin == std::string::npos || begin == 0 ? text : text.substr(begin + 1);
}

}  // namespace infermeter
