#include "io/process/supervisor.hpp"

#include <dirent.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <sys/prctl.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <cstdlib>
#include <cstring>
#include <optional>
#include <string>
#include <vector>

namespace infermeter {
namespace {

using Clock = std::chrono::steady_clock;
using std::chrono::milliseconds;

// For a program that is gone: it asked for nothing. A server that holds a graphics card needs a moment to
// leave it.
constexpr milliseconds kOrphanPatience{5000};
// For processes that SIGKILL does not end, because they belong to another user or hang in a driver.
constexpr milliseconds kKillPatience{5000};
constexpr milliseconds kKillAgain{20};

struct ProcessLine {
  pid_t pid = 0, parent = 0, group = 0;
};

// "1234 (name) S 1 1234 …": the name may hold spaces and brackets.
std::optional<ProcessLine> process_line(const char* pid) {
  const std::string path = std::string("/proc/") + pid + "/stat";
  const int fd = open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (fd < 0) return std::nullopt;
  char text[512];
  const ssize_t size = read(fd, text, sizeof(text) - 1);
  close(fd);
  if (size <= 0) return std::nullopt;
  text[size] = '\0';
  const char* name_end = std::strrchr(text, ')');
  if (name_end == nullptr || std::strlen(name_end) < 4) return std::nullopt;
  char* next = nullptr;
  const long parent = std::strtol(name_end + 4, &next, 10);
  const long group = std::strtol(next, nullptr, 10);
  return ProcessLine{static_cast<pid_t>(std::atol(pid)), static_cast<pid_t>(parent),
                     static_cast<pid_t>(group)};
}

std::vector<ProcessLine> all_processes() {
  std::vector<ProcessLine> all;
  DIR* folder = opendir("/proc");
  if (folder == nullptr) return all;
  while (const dirent* entry = readdir(folder)) {
    if (entry->d_name[0] < '0' || entry->d_name[0] > '9') continue;
    if (const auto line = process_line(entry->d_name)) all.push_back(*line);
  }
  closedir(folder);
  return all;
}

// By their parents: that finds also what has left the session, the group, or its environment. A process whose
// parent has ended has this one as its parent.
std::vector<ProcessLine> descendants() {
  std::vector<ProcessLine> rest = all_processes(), found;
  std::vector<pid_t> parents{getpid()};
  while (!parents.empty()) {
    const auto theirs = std::partition(rest.begin(), rest.end(), [&](const ProcessLine& line) {
      return std::find(parents.begin(), parents.end(), line.parent) == parents.end();
    });
    parents.clear();
    for (auto line = theirs; line != rest.end(); ++line) parents.push_back(line->pid);
    found.insert(found.end(), theirs, rest.end());
    rest.erase(theirs, rest.end());
  }
  return found;
}

// The command with no signal blocked and the standard actions for those that the program handles or ignores.
int spawn_command(const std::string& command, pid_t& child) {
  posix_spawnattr_t attributes;
  posix_spawn_file_actions_t actions;
  posix_spawnattr_init(&attributes);
  posix_spawn_file_actions_init(&actions);
  sigset_t none, standard;
  sigemptyset(&none);
  sigemptyset(&standard);
  for (const int signal : {SIGINT, SIGTERM, SIGPIPE, SIGXFSZ}) sigaddset(&standard, signal);
  posix_spawnattr_setpgroup(&attributes, 0);
  posix_spawnattr_setsigmask(&attributes, &none);
  posix_spawnattr_setsigdefault(&attributes, &standard);
  posix_spawnattr_setflags(&attributes,
                           POSIX_SPAWN_SETPGROUP | POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF);
  posix_spawn_file_actions_adddup2(&actions, kCommandOutput, STDOUT_FILENO);
  posix_spawn_file_actions_adddup2(&actions, kCommandOutput, STDERR_FILENO);
  std::string shell = "sh", option = "-c", text = command;
  char* const words[] = {shell.data(), option.data(), text.data(), nullptr};
  const int failed = posix_spawn(&child, "/bin/sh", &actions, &attributes, words, environ);
  posix_spawn_file_actions_destroy(&actions);
  posix_spawnattr_destroy(&attributes);
  return failed;
}

bool read_whole(void* to, std::size_t size) {
  auto* at = static_cast<char*>(to);
  while (size > 0) {
    const ssize_t got = recv(kSupervisorSocket, at, size, 0);
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) return false;
    at += got;
    size -= static_cast<std::size_t>(got);
  }
  return true;
}

// Nobody may be there any more.
void report(SupervisorReport::Kind kind, int value = 0) {
  const SupervisorReport text{kind, value};
  send(kSupervisorSocket, &text, sizeof(text), MSG_NOSIGNAL);
}

class Supervisor {
 public:
  [[noreturn]] void run() {
    prepare();
    start();
    while (true) {
      reap();
      if (kill_at_ && Clock::now() >= *kill_at_) kill_all();
      wait();
    }
  }

 private:
  void prepare() {
    // Signals come as data. Those to the group of the program do not come at all: the supervisor has a
    // session of its own; a closed terminal and Ctrl-\ are none of its business.
    sigset_t wanted;
    sigfillset(&wanted);
    sigprocmask(SIG_SETMASK, &wanted, nullptr);
    sigemptyset(&wanted);
    for (const int signal : {SIGCHLD, SIGTERM, SIGQUIT}) sigaddset(&wanted, signal);
    signals_ = signalfd(-1, &wanted, SFD_CLOEXEC | SFD_NONBLOCK);
    fcntl(kSupervisorSocket, F_SETFD, FD_CLOEXEC);
    fcntl(kCommandOutput, F_SETFD, FD_CLOEXEC);
    prctl(PR_SET_NAME, kSupervisorName);
    if (signals_ < 0 || prctl(PR_SET_CHILD_SUBREAPER, 1) != 0) fail(errno);
  }

  void start() {
    SupervisorTask task;
    if (!read_whole(&task, sizeof(task))) _exit(EXIT_FAILURE);
    std::string command(task.command_bytes, '\0');
    if (!read_whole(command.data(), command.size())) _exit(EXIT_FAILURE);
    lets_go_ = task.lets_go != 0;
    if (const int failed = spawn_command(command, command_); failed != 0) fail(failed);
    close(kCommandOutput);  // a reader of this output waits for the command only
    report(SupervisorReport::started, command_);
  }

  [[noreturn]] static void fail(int error) {
    report(SupervisorReport::failed, error);
    _exit(EXIT_FAILURE);
  }

  [[noreturn]] static void end() {
    report(SupervisorReport::done);
    _exit(EXIT_SUCCESS);
  }

  // Where no child is left, no descendant is.
  void reap() {
    int status = 0;
    pid_t ended = 0;
    while ((ended = waitpid(-1, &status, WNOHANG)) > 0) {
      if (ended != command_) continue;
      report(SupervisorReport::ended, status);
      if (lets_go_ && !kill_at_) end();
    }
    if (ended < 0 && errno == ECHILD) end();
  }

  void wait() {
    std::array<pollfd, 2> ready{{{signals_, POLLIN, 0}, {orphan_ ? -1 : kSupervisorSocket, POLLIN, 0}}};
    int timeout = -1;
    if (kill_at_) {
      const auto left = std::chrono::ceil<milliseconds>(*kill_at_ - Clock::now()).count();
      timeout = killing_ ? static_cast<int>(kKillAgain.count())
                         : static_cast<int>(std::clamp<long>(left, 0, 60'000));
    }
    if (poll(ready.data(), ready.size(), timeout) <= 0) return;
    if (ready[0].revents != 0) take_signals();
    if (ready[1].revents != 0) take_order();
  }

  void take_signals() {
    signalfd_siginfo info{};
    while (read(signals_, &info, sizeof(info)) == static_cast<ssize_t>(sizeof(info))) {
      if (info.ssi_signo == SIGTERM) end_all(kOrphanPatience);  // the machine shuts down
      if (info.ssi_signo == SIGQUIT) end_all(milliseconds(0));  // kill_servers_now
    }
  }

  void take_order() {
    SupervisorOrder order{kOrphanPatience.count()};
    orphan_ = !read_whole(&order, sizeof(order));
    end_all(milliseconds(order.patience_ms));
  }

  // SIGTERM once: what handles it may start processes to clean up. A stopped process gets it when it goes on.
  void end_all(milliseconds patience) {
    const auto at = Clock::now() + patience;
    if (!kill_at_ && patience > milliseconds(0)) {
      signal_all(SIGTERM);
      signal_all(SIGCONT);
    }
    kill_at_ = kill_at_ ? std::min(*kill_at_, at) : at;
  }

  void kill_all() {
    if (!killing_) killing_ = Clock::now();
    if (Clock::now() - *killing_ > kKillPatience) _exit(EXIT_FAILURE);
    signal_all(SIGKILL);
  }

  // The group at once, so that a process of it that is born meanwhile is not missed.
  void signal_all(int signal) const {
    const auto all = descendants();
    if (std::any_of(all.begin(), all.end(), [&](const auto& line) { return line.group == command_; }))
      kill(-command_, signal);
    for (const ProcessLine& line : all) {
      if (line.group != command_) kill(line.pid, signal);
    }
  }

  int signals_ = -1;
  pid_t command_ = 0;
  bool lets_go_ = false;
  bool orphan_ = false;                       // the program is gone
  std::optional<Clock::time_point> kill_at_;  // set once they are to end
  std::optional<Clock::time_point> killing_;  // since then
};

// glibc gives the words of the command line to constructors. They run before main, and so before anything
// that a program might do with a command line that it does not know.
[[gnu::constructor]] void supervise_if_asked(int count, char** words) {
  if (count == 1 && std::strcmp(words[0], kSupervisorName) == 0) Supervisor().run();
}

}  // namespace
}  // namespace infermeter
