// Server commands: started, watched, ended with all processes that they started. Every wait is bounded.
#include "io/process/child_process.hpp"

#include <signal.h>

#include <chrono>
#include <fstream>
#include <string>
#include <thread>

#include "../temporary_file.hpp"
#include "catch.hpp"
#include "infermeter/base/errors.hpp"

using namespace infermeter;
using infermeter::test::TemporaryFile;
using namespace std::chrono_literals;

namespace {

bool within_ten_seconds(const auto& condition) {
  for (int i = 0; i < 1000; ++i) {
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

bool alive(pid_t pid) { return kill(pid, 0) == 0; }

/// Gone, and not a zombie either: a zombie has no command line.
bool runs(pid_t pid) {
  std::ifstream in("/proc/" + std::to_string(pid) + "/cmdline");
  return in.peek() != std::ifstream::traits_type::eof();
}

}  // namespace

TEST_CASE("server process: stopping it ends what it has started in the background too") {
  const TemporaryFile log(""), pid("");
  ServerProcess server("sleep 1000 & echo $! > " + pid.path() + "; wait", log.path());
  REQUIRE(within_ten_seconds([&] { return pid_in(pid.path()) > 0; }));
  CHECK(server.running());
  CHECK(alive(pid_in(pid.path())));
  server.stop();
  CHECK_FALSE(server.running());
  CHECK_FALSE(alive(pid_in(pid.path())));
}

TEST_CASE("server process: a command that goes on in the background has not ended") {
  const TemporaryFile log(""), pid("");
  ServerProcess server("sleep 1000 & echo $! > " + pid.path(), log.path());
  REQUIRE(within_ten_seconds([&] { return pid_in(pid.path()) > 0; }));
  std::this_thread::sleep_for(50ms);
  CHECK(server.running());
}

TEST_CASE("server process: one that does not heed SIGTERM is made to end") {
  const TemporaryFile log("");
  ServerProcess server("trap '' TERM; echo ready; while :; do sleep 1; done", log.path());
  REQUIRE(within_ten_seconds([&] { return server.last_lines(1) == "ready"; }));
  server.stop(50ms);
  CHECK_FALSE(server.running());
}

TEST_CASE("server process: what has left its group is ended too") {
  const TemporaryFile log(""), pid("");
  ServerProcess server("timeout 1000 setsid sh -c 'echo $$ > " + pid.path() + "; sleep 1000' & wait",
                       log.path());
  REQUIRE(within_ten_seconds([&] { return pid_in(pid.path()) > 0; }));
  server.stop();
  CHECK_FALSE(server.running());
  CHECK_FALSE(runs(pid_in(pid.path())));
}

TEST_CASE("server process: how it ended and what it last wrote are told") {
  const TemporaryFile log("");
  ServerProcess server("for i in 1 2 3 4 5; do echo line $i; done; echo broken >&2; exit 7", log.path());
  REQUIRE(within_ten_seconds([&] { return !server.running(); }));
  CHECK(server.how_it_ended() == "exit status 7");
  CHECK(server.last_lines(3) == "line 4\nline 5\nbroken");
  CHECK(server.last_lines(100) == "line 1\nline 2\nline 3\nline 4\nline 5\nbroken");
}

TEST_CASE("server process: a log that cannot be written is an error that names it") {
  CHECK_THROWS_WITH(ServerProcess("true", "/nowhere/server.log"),
                    "cannot write /nowhere/server.log: No such file or directory");
}
