// Commands: started, watched, ended with all processes that they started. Every wait is bounded.
#include "io/process/child_process.hpp"

#include <poll.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <fstream>
#include <functional>
#include <iterator>
#include <string>
#include <thread>

#include "../temporary_file.hpp"
#include "catch.hpp"
#include "infermeter/base/errors.hpp"

using namespace infermeter;
using infermeter::test::TemporaryFile;
using namespace std::chrono_literals;

namespace {

bool within_a_minute(const auto& condition) {
  for (int i = 0; i < 6000; ++i) {
    if (condition()) return true;
    std::this_thread::sleep_for(10ms);
  }
  return false;
}

/// The process whose number a command has written; 0: not yet.
pid_t pid_in(const std::string& path) {
  std::ifstream in(path);
  pid_t pid = 0;
  in >> pid;
  return pid;
}

std::string read_whole(const std::string& path) {
  std::ifstream in(path);
  return {std::istreambuf_iterator<char>(in), {}};
}

/// Also as a zombie.
bool alive(pid_t pid) { return kill(pid, 0) == 0; }

/// A program that owns a server, in a group of its own, and waits until it is killed.
class Owner {
 public:
  /// `begin` is called in it, after the server was started.
  Owner(
      const std::string& command, const std::string& log, const std::function<void()>& begin = [] {})
      : pid_(fork()) {
    if (pid_ != 0) return;
    for (const int caught : {SIGINT, SIGTERM, SIGHUP}) signal(caught, SIG_DFL);  // by the test's main
    setpgid(0, 0);
    run(command, log, begin);
    _exit(1);
  }
  ~Owner() { kill_group(SIGKILL); }
  Owner(const Owner&) = delete;
  Owner& operator=(const Owner&) = delete;

  void kill_alone() const { kill(pid_, SIGKILL); }
  void kill_group(int signal) const { kill(-pid_, signal); }
  void reap() const { waitpid(pid_, nullptr, 0); }

 private:
  static void run(const std::string& command, const std::string& log,
                  const std::function<void()>& begin) try {
    const ServerProcess server(command, log);
    begin();
    while (true) pause();
  } catch (const Error&) {
  }

  pid_t pid_;
};

/// Writes the number of a process that does nothing for a long time, and that is not ended by SIGTERM.
std::string stubborn(const std::string& pid_path) {
  return "sh -c 'trap \"\" TERM; echo $$ > " + pid_path + "; while :; do sleep 1; done'";
}

}  // namespace

TEST_CASE("server process: stopping it ends what it has started in the background too") {
  const TemporaryFile log(""), pid("");
  ServerProcess server("sleep 1000 & echo $! > " + pid.path() + "; wait", log.path());
  REQUIRE(within_a_minute([&] { return pid_in(pid.path()) > 0; }));
  CHECK(server.running());
  CHECK(alive(pid_in(pid.path())));
  server.stop();
  CHECK_FALSE(server.running());
  CHECK_FALSE(alive(pid_in(pid.path())));
}

TEST_CASE("server process: a command that goes on in the background has not ended") {
  const TemporaryFile log(""), pid("");
  ServerProcess server("sleep 1000 & echo $! > " + pid.path(), log.path());
  REQUIRE(within_a_minute([&] { return pid_in(pid.path()) > 0; }));
  std::this_thread::sleep_for(50ms);
  CHECK(server.running());
}

TEST_CASE("server process: one that does not heed SIGTERM is made to end") {
  const TemporaryFile log("");
  ServerProcess server("trap '' TERM; echo ready; while :; do sleep 1; done", log.path());
  REQUIRE(within_a_minute([&] { return server.last_lines(1) == "ready"; }));
  server.stop(50ms);
  CHECK_FALSE(server.running());
}

TEST_CASE("server process: what has left its group is ended too") {
  const TemporaryFile log(""), pid("");
  ServerProcess server("timeout 1000 setsid sh -c 'echo $$ > " + pid.path() + "; sleep 1000' & wait",
                       log.path());
  REQUIRE(within_a_minute([&] { return pid_in(pid.path()) > 0; }));
  server.stop();
  CHECK_FALSE(server.running());
  CHECK_FALSE(alive(pid_in(pid.path())));
}

TEST_CASE("server process: what has cleared its environment and lost its parents is ended too") {
  const TemporaryFile log(""), pid("");
  ServerProcess server("env -i /usr/bin/setsid /bin/sh -c 'setsid sleep 1000 & echo $! > " + pid.path() + "'",
                       log.path());
  REQUIRE(within_a_minute([&] { return pid_in(pid.path()) > 0; }));
  CHECK(server.running());
  server.stop();
  CHECK_FALSE(server.running());
  CHECK_FALSE(alive(pid_in(pid.path())));
}

TEST_CASE("server process: one that is stopped at the time is ended too") {
  const TemporaryFile log(""), pid("");
  ServerProcess server("trap 'exit 3' TERM; echo $$ > " + pid.path() + "; kill -STOP $$", log.path());
  REQUIRE(within_a_minute([&] { return pid_in(pid.path()) > 0; }));
  server.stop();
  CHECK(server.how_it_ended() == "exit status 3");
  CHECK_FALSE(alive(pid_in(pid.path())));
}

TEST_CASE("server process: a program killed by SIGKILL leaves no process that its server started") {
  const TemporaryFile log(""), child(""), apart(""), orphan("");
  const Owner owner("sleep 1000 & echo $! > " + child.path() + "; env -i /usr/bin/setsid " +
                        stubborn(apart.path()) + " & (setsid sleep 1000 & echo $! > " + orphan.path() +
                        "); wait",
                    log.path());
  const auto pids = {child.path(), apart.path(), orphan.path()};
  for (const auto& path : pids) REQUIRE(within_a_minute([&] { return pid_in(path) > 0; }));
  owner.kill_alone();
  owner.reap();
  for (const auto& path : pids) CHECK(within_a_minute([&] { return !alive(pid_in(path)); }));
}

TEST_CASE("server process: signals to the group of the program do not end the supervisor before its work") {
  const TemporaryFile log(""), pid("");
  const Owner owner("echo $$ > " + pid.path() + "; exec sleep 1000", log.path());
  REQUIRE(within_a_minute([&] { return pid_in(pid.path()) > 0; }));
  const int signal = GENERATE(SIGINT, SIGHUP, SIGTERM, SIGKILL);
  owner.kill_group(signal);
  owner.reap();
  CHECK(within_a_minute([&] { return !alive(pid_in(pid.path())); }));
}

TEST_CASE("server process: neither server nor supervisor keeps the program's pipes open") {
  const TemporaryFile log(""), pid("");
  int ends[2];
  REQUIRE(pipe(ends) == 0);  // inherited
  const Owner owner("echo $$ > " + pid.path() + "; exec sleep 1000", log.path(), [&] {
    close(ends[1]);
    for (const int standard : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO}) close(standard);
  });
  close(ends[1]);
  pollfd ended{ends[0], POLLIN, 0};
  CHECK(poll(&ended, 1, 60'000) == 1);
  CHECK((ended.revents & POLLHUP) != 0);
  REQUIRE(within_a_minute([&] { return pid_in(pid.path()) > 0; }));
  CHECK(alive(pid_in(pid.path())));
  close(ends[0]);
}

TEST_CASE("server process: nothing of a supervisor names the program or the command") {
  const TemporaryFile log(""), parent("");
  ServerProcess server("echo $PPID > " + parent.path() + "; sleep 1000", log.path());
  REQUIRE(within_a_minute([&] { return pid_in(parent.path()) > 0; }));
  for (const std::string file : {"/comm", "/cmdline"}) {
    std::ifstream in("/proc/" + std::to_string(pid_in(parent.path())) + file);
    std::string words;
    std::getline(in, words);
    CHECK(words.starts_with("command-supervi"));
    CHECK(words.find("sleep") == std::string::npos);
  }
}

TEST_CASE("server process: how it ended and what it last wrote are told") {
  const TemporaryFile log("");
  ServerProcess server("for i in 1 2 3 4 5; do echo line $i; done; echo broken >&2; exit 7", log.path());
  REQUIRE(within_a_minute([&] { return !server.running(); }));
  CHECK(server.how_it_ended() == "exit status 7");
  CHECK(server.last_lines(3) == "line 4\nline 5\nbroken");
  CHECK(server.last_lines(100) == "line 1\nline 2\nline 3\nline 4\nline 5\nbroken");
}

TEST_CASE("server process: a log that cannot be written is an error that names it") {
  CHECK_THROWS_WITH(ServerProcess("true", "/nowhere/server.log"),
                    "cannot write /nowhere/server.log: No such file or directory");
}

TEST_CASE("shell command: its exit status is told, and what it leaves in the background goes on") {
  const TemporaryFile pid("");
  const std::atomic<bool> interrupt{false};
  CHECK(run_shell_command("exit 7", {}, interrupt) == 7);
  CHECK(run_shell_command("kill -9 $$", {}, interrupt) == 128 + 9);
  CHECK(run_shell_command("test \"$COLOUR\" = blue", {{"COLOUR", "blue"}}, interrupt) == 0);
  CHECK(run_shell_command("sleep 1000 >&- 2>&- & echo $! > " + pid.path(), {}, interrupt) == 0);
  REQUIRE(pid_in(pid.path()) > 0);
  CHECK(alive(pid_in(pid.path())));
  kill(pid_in(pid.path()), SIGKILL);
}

TEST_CASE("shell command: an interrupt ends all that it started") {
  const TemporaryFile pid("");
  std::atomic<bool> interrupt{false};
  std::thread interrupter([&] {
    within_a_minute([&] { return pid_in(pid.path()) > 0; });
    interrupt = true;
  });
  CHECK_FALSE(run_shell_command("env -i /usr/bin/setsid " + stubborn(pid.path()) + " & wait", {}, interrupt));
  interrupter.join();
  CHECK_FALSE(alive(pid_in(pid.path())));
}

TEST_CASE("server process: a flooded log keeps its beginning and its end within the limit") {
  const TemporaryFile log("");
  ServerProcess server("echo first line; head -c 3000000 /dev/zero | tr '\\0' x; echo; echo last line",
                       log.path(), 100'000);
  REQUIRE(within_a_minute([&] { return !server.running(); }));
  CHECK(server.last_lines(1) == "last line");
  CHECK(server.log_cut());
  server.stop();
  const std::string text = read_whole(log.path());
  CHECK(text.size() <= 100'000);
  CHECK(text.size() > 99'000);
  CHECK(text.starts_with("first line\nxxx"));
  CHECK(text.ends_with("xxx\nlast line\n"));
  CHECK(text.find("[infermeter: 2.9 MB of this log were left out here: --log-limit]") != std::string::npos);
}

TEST_CASE("server process: a log within its limit is whole") {
  const TemporaryFile log("");
  ServerProcess server("head -c 99000 /dev/zero | tr '\\0' x", log.path(), 100'000);
  REQUIRE(within_a_minute([&] { return !server.running(); }));
  server.stop();
  CHECK_FALSE(server.log_cut());
  CHECK(read_whole(log.path()) == std::string(99'000, 'x'));
}

TEST_CASE("server process: a server that never stops writing is ended, and its log stays within the limit") {
  const TemporaryFile log("");
  ServerProcess server("yes 0123456789", log.path(), 50'000);
  REQUIRE(within_a_minute([&] { return server.log_cut(); }));
  CHECK_FALSE(server.last_lines(2).empty());
  server.stop();
  CHECK_FALSE(server.running());
  CHECK(read_whole(log.path()).size() <= 50'000);
}
