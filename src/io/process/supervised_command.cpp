#include "io/process/supervised_command.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cerrno>
#include <string_view>
#include <utility>

#include "infermeter/base/errors.hpp"
#include "io/host/client_limit.hpp"
#include "io/host/descriptor.hpp"
#include "io/process/supervisor.hpp"
#include "model/secrets/shell_secrets.hpp"

namespace infermeter {
namespace {

using std::chrono::milliseconds;

constexpr milliseconds kStartPatience{30'000};
constexpr milliseconds kEndPatience{10'000};  // beyond that of the order, for the supervisor itself

// The supervisors of all running commands, for kill_commands_now: a gate has one at a time.
std::array<std::atomic<pid_t>, 8> running_supervisors{};
static_assert(std::atomic<pid_t>::is_always_lock_free);

void replace_supervisor(pid_t old, pid_t by) {
  for (auto& place : running_supervisors) {
    pid_t expected = old;
    if (place.compare_exchange_strong(expected, by)) return;
  }
}

class SupervisorSetup {
 public:
  // Copies above the numbers that they get in the supervisor: none overwrites another.
  SupervisorSetup(int socket, int output)
      : socket_(fcntl(socket, F_DUPFD_CLOEXEC, kCommandOutput + 1)),
        output_(fcntl(output, F_DUPFD_CLOEXEC, kCommandOutput + 1)) {
    posix_spawnattr_init(&attributes);
    posix_spawn_file_actions_init(&actions);
    sigset_t all, standard;
    sigfillset(&all);
    sigemptyset(&standard);
    sigaddset(&standard, SIGCHLD);  // ignored, it would leave no status to wait for
    posix_spawnattr_setsigmask(&attributes, &all);
    posix_spawnattr_setsigdefault(&attributes, &standard);
    posix_spawnattr_setflags(&attributes,
                             POSIX_SPAWN_SETSID | POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF);
    for (const int standard_file : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO})
      posix_spawn_file_actions_addopen(&actions, standard_file, "/dev/null", O_RDWR, 0);
    posix_spawn_file_actions_adddup2(&actions, socket_.number(), kSupervisorSocket);
    posix_spawn_file_actions_adddup2(&actions, output_.number(), kCommandOutput);
    // Whoever waits for the end of a file that the caller inherited must not wait for the command.
    posix_spawn_file_actions_addclosefrom_np(&actions, kCommandOutput + 1);
  }
  ~SupervisorSetup() {
    posix_spawn_file_actions_destroy(&actions);
    posix_spawnattr_destroy(&attributes);
  }
  SupervisorSetup(const SupervisorSetup&) = delete;
  SupervisorSetup& operator=(const SupervisorSetup&) = delete;

  bool complete() const { return socket_.number() >= 0 && output_.number() >= 0; }

  posix_spawnattr_t attributes{};
  posix_spawn_file_actions_t actions{};

 private:
  Descriptor socket_, output_;
};

// A variable that is set anew takes the place of the caller's.
std::vector<std::string> environment_with(const std::vector<std::pair<std::string, std::string>>& variables) {
  std::vector<std::string> all;
  for (const auto& [name, value] : variables) all.push_back(fmt::format("{}={}", name, value));
  const auto set_anew = [&](std::string_view entry) {
    return std::ranges::any_of(variables, [&](const auto& v) { return entry.starts_with(v.first + "="); });
  };
  for (char** entry = environ; *entry != nullptr; ++entry) {
    if (!set_anew(*entry)) all.emplace_back(*entry);
  }
  return all;
}

std::vector<char*> pointers_to(std::vector<std::string>& texts) {
  std::vector<char*> out;
  for (auto& text : texts) out.push_back(text.data());
  out.push_back(nullptr);
  return out;
}

[[noreturn]] void cannot_run(const std::string& command, int error) {
  throw EnvironmentError(
      fmt::format("cannot run '{}': {}", mask_command(command),
                  error == EAGAIN ? limit_words(ClientLimit::threads) : error_words(error)));
}

bool send_whole(int socket, const char* bytes, std::size_t size) {
  while (size > 0) {
    const ssize_t sent = send(socket, bytes, size, MSG_NOSIGNAL);
    if (sent < 0 && errno == EINTR) continue;
    if (sent <= 0) return false;
    bytes += sent;
    size -= static_cast<std::size_t>(sent);
  }
  return true;
}

template <typename Message>
bool send_message(int socket, const Message& message) {
  return send_whole(socket, reinterpret_cast<const char*>(&message), sizeof(message));
}

}  // namespace

SupervisedCommand::SupervisedCommand(const std::string& command,
                                     const std::vector<std::pair<std::string, std::string>>& variables,
                                     int output, Leftovers leftovers) {
  std::array<int, 2> ends{};
  if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends.data()) != 0) cannot_run(command, errno);
  Descriptor own(ends[0]);
  {
    const Descriptor theirs(ends[1]);
    const SupervisorSetup setup(theirs.number(), output);
    if (!setup.complete()) cannot_run(command, errno);
    std::vector<std::string> words{kSupervisorName}, environment = environment_with(variables);
    const int failed = posix_spawn(&supervisor_, "/proc/self/exe", &setup.actions, &setup.attributes,
                                   pointers_to(words).data(), pointers_to(environment).data());
    if (failed != 0) cannot_run(command, failed);
  }
  socket_ = own.release();
  replace_supervisor(0, supervisor_);
  start(command, leftovers);
}

SupervisedCommand::~SupervisedCommand() { end(milliseconds(0)); }

void SupervisedCommand::start(const std::string& command, Leftovers leftovers) {
  const SupervisorTask task{.command_bytes = static_cast<std::uint32_t>(command.size()),
                            .lets_go = leftovers == Leftovers::are_let_go ? 1u : 0u};
  if (send_message(socket_, task)) send_whole(socket_, command.data(), command.size());
  const auto give_up = std::chrono::steady_clock::now() + kStartPatience;
  while (group_ == 0 && !failed_ && std::chrono::steady_clock::now() < give_up &&
         running(milliseconds(100))) {
  }
  if (group_ != 0 && !failed_) return;
  const int error = failed_.value_or(ECHILD);
  end(milliseconds(0));
  cannot_run(command, error);
}

bool SupervisedCommand::running(milliseconds time) {
  if (socket_ < 0) return false;
  pollfd ready{socket_, POLLIN, 0};
  if (poll(&ready, 1, static_cast<int>(time.count())) > 0) take_reports();
  return socket_ >= 0;
}

void SupervisedCommand::take_reports() {
  while (true) {
    SupervisorReport message;
    const ssize_t got = recv(socket_, &message, sizeof(message), MSG_DONTWAIT);
    if (got < 0 && (errno == EAGAIN || errno == EINTR)) return;
    if (got != static_cast<ssize_t>(sizeof(message))) return supervisor_ended();
    if (message.kind == SupervisorReport::started) group_ = message.value;
    if (message.kind == SupervisorReport::failed) failed_ = message.value;
    if (message.kind == SupervisorReport::ended) status_ = message.value;
    if (message.kind == SupervisorReport::done) done_ = true;
  }
}

// One that was killed can end nothing any more: its command's group at least is known.
void SupervisedCommand::supervisor_ended() {
  if (!done_ && group_ > 0) kill(-group_, SIGKILL);
  close(std::exchange(socket_, -1));
  replace_supervisor(supervisor_, 0);
  while (waitpid(supervisor_, nullptr, 0) < 0 && errno == EINTR) {
  }
}

void SupervisedCommand::end(milliseconds patience) {
  if (socket_ < 0) return;
  const auto give_up = std::chrono::steady_clock::now() + patience + kEndPatience;
  send_message(socket_, SupervisorOrder{patience.count()});
  while (running(milliseconds(100))) {
    if (std::chrono::steady_clock::now() < give_up) continue;
    kill(supervisor_, SIGKILL);
    supervisor_ended();
  }
}

void kill_commands_now() noexcept {
  for (auto& place : running_supervisors) {
    if (const pid_t supervisor = place.load(); supervisor > 0) kill(supervisor, SIGQUIT);
  }
}

}  // namespace infermeter
