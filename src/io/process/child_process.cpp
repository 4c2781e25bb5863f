#include "io/process/child_process.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <signal.h>
#include <spawn.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <charconv>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string_view>
#include <system_error>
#include <thread>

#include "infermeter/base/errors.hpp"
#include "io/host/client_limit.hpp"

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

// Starts `sh -c command` with these variables added to the caller's and no signal blocked or ignored;
// standard output and error go to `output`, standard input is empty. Returns the process, which leads its
// group. Throws EnvironmentError.
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
        fmt::format("cannot run '{}': {}", command,
                    failed == EAGAIN ? limit_words(ClientLimit::threads) : error_words(failed)));
  return child;
}

// The exit status from waitpid's status: 128 + the signal that ended the process.
int status_of_wait(int wait_status) {
  return WIFEXITED(wait_status) ? WEXITSTATUS(wait_status) : 128 + WTERMSIG(wait_status);
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

namespace fs = std::filesystem;

std::optional<pid_t> process_of(const std::string& name) {
  pid_t pid = 0;
  const auto [end, error] = std::from_chars(name.data(), name.data() + name.size(), pid);
  const bool number = error == std::errc() && end == name.data() + name.size();
  return number ? std::optional(pid) : std::nullopt;
}

/// A zombie process has no environment any more.
bool holds(const fs::path& process, std::string_view mark) {
  std::ifstream in(process / "environ", std::ios::binary);
  const std::string all{std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()};
  const auto entry = std::string(mark) + '\0';
  return all.starts_with(entry) || all.find('\0' + entry) != std::string::npos;
}

// Running processes whose initial environment contains `mark` ("NAME=value"), as far as this user may read
// it.
std::vector<pid_t> marked_processes(std::string_view mark) {
  std::vector<pid_t> found;
  std::error_code ignored;
  for (const auto& entry : fs::directory_iterator("/proc", ignored)) {
    const auto pid = process_of(entry.path().filename().string());
    if (pid && holds(entry.path(), mark)) found.push_back(*pid);
  }
  return found;
}

constexpr auto kLook = std::chrono::milliseconds(5);
constexpr auto kSearch =
    std::chrono::milliseconds(200);  // each search through all processes takes some milliseconds

// The process groups of all running servers, for kill_servers_now: a gate has one at a time.
std::array<std::atomic<pid_t>, 8> running_groups{};
static_assert(std::atomic<pid_t>::is_always_lock_free);

void remember(pid_t group) {
  for (auto& place : running_groups) {
    pid_t empty = 0;
    if (place.compare_exchange_strong(empty, group)) return;
  }
}

void forget(pid_t group) {
  for (auto& place : running_groups) {
    pid_t own = group;
    place.compare_exchange_strong(own, 0);
  }
}

std::string new_mark() {
  static std::atomic<unsigned> servers{0};
  return fmt::format("{}-{}", getpid(), ++servers);
}

int open_log(const std::string& path) {
  const int fd = open(path.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_APPEND, 0644);
  if (fd < 0)
    throw EnvironmentError(fmt::format("cannot write {}: {}", path, std::generic_category().message(errno)));
  return fd;
}

}  // namespace

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

ServerProcess::ServerProcess(const std::string& command, const std::string& log_path) : log_path_(log_path) {
  // When a server's own parent ends, its remaining processes become our children, so that we can wait for
  // them: in a container nobody else might do that.
  prctl(PR_SET_CHILD_SUBREAPER, 1);
  const int log = open_log(log_path);
  try {
    const std::string mark = new_mark();
    mark_ = "INFERMETER_SERVER=" + mark;
    group_ = spawn_shell(command, {{"INFERMETER_SERVER", mark}}, log);
  } catch (...) {
    close(log);
    throw;
  }
  close(log);
  remember(group_);
}

ServerProcess::~ServerProcess() { stop(); }

bool ServerProcess::running() {
  if (group_ == 0) return false;
  reap();
  if (kill(-group_, 0) == 0) return true;
  const auto now = std::chrono::steady_clock::now();
  if (now - last_search_ < kSearch) return found_;
  last_search_ = now;
  found_ = !marked_processes(mark_).empty();
  return found_;
}

// Our children are the command itself and processes whose parents have ended.
void ServerProcess::reap() {
  int status = 0;
  for (pid_t ended = 0; (ended = waitpid(-group_, &status, WNOHANG)) > 0;) {
    if (ended == group_) status_ = status;
  }
}

void ServerProcess::signal_all(int signal) const {
  kill(-group_, signal);
  for (const pid_t process : marked_processes(mark_)) kill(process, signal);
}

std::string ServerProcess::how_it_ended() const {
  if (!status_) return "no exit status";
  if (WIFSIGNALED(*status_)) return fmt::format("signal {}", WTERMSIG(*status_));
  return fmt::format("exit status {}", WEXITSTATUS(*status_));
}

void ServerProcess::stop(std::chrono::milliseconds patience) {
  if (group_ == 0) return;
  const auto wait = [this](std::chrono::milliseconds length) {
    const auto give_up = std::chrono::steady_clock::now() + length;
    while (running() && std::chrono::steady_clock::now() < give_up) std::this_thread::sleep_for(kLook);
  };
  last_search_ = {};
  signal_all(SIGTERM);
  wait(patience);
  if (running()) {
    signal_all(SIGKILL);
    wait(std::chrono::seconds(5));
  }
  forget(group_);
  group_ = 0;
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

void kill_servers_now() noexcept {
  for (auto& place : running_groups) {
    if (const pid_t group = place.load(); group > 0) kill(-group, SIGKILL);
  }
}

}  // namespace infermeter
