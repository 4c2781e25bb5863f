// Every row of "What ends each phase" in docs/configuration.md, with a server that stalls in that phase: the
// binary ends, with the exit code and the words of the row. For ever is the alternative; the limits are
// short, and no case depends on how fast this machine is.
#include <algorithm>
#include <array>
#include <deque>
#include <optional>
#include <set>
#include <sstream>

#include "base/time_limit.hpp"
#include "catch.hpp"
#include "infermeter/base/errors.hpp"
#include "io/http/resolve.hpp"
#include "io/process/child_process.hpp"
#include "raw_server.hpp"
#include "run_folder.hpp"

using namespace infermeter;
using namespace std::chrono_literals;
using Words = std::vector<std::string>;

namespace {

enum class Stall { silent, headers_only, endless, drip, never_closes };
constexpr Stall kStalls[] = {Stall::silent, Stall::headers_only, Stall::endless, Stall::drip,
                             Stall::never_closes};

const std::string kToken =
    "data: {\"choices\":[{\"index\":0,\"delta\":{\"content\":\"a\"},\"finish_reason\":null}]}\n\n";
const std::string kAnswer =
    kToken + kToken + "data: {\"choices\":[{\"index\":0,\"delta\":{},\"finish_reason\":\"length\"}]}\n\n" +
    "data: {\"choices\":[],\"usage\":{\"prompt_tokens\":9,\"completion_tokens\":2,\"total_tokens\":11}}\n\n" +
    "data: [DONE]\n\n";
const std::string kModels = R"({"data":[{"id":"m"}]})";

/// Waits so long for the peer to close; true: it did.
bool closed_within(int fd, std::chrono::milliseconds time) {
  pollfd p{fd, POLLIN, 0};
  char byte = 0;
  return ::poll(&p, 1, static_cast<int>(time.count())) > 0 && ::recv(fd, &byte, 1, 0) <= 0;
}

/// A model server. Requests of one kind (GET, POST for an answer, POST for /tokenize) stall from the n-th on.
class StallingServer {
 public:
  struct From {
    char kind = 'p';  // g, p, t
    int first = 0, last = 1'000'000;
  };
  StallingServer(Stall stall, From from) : stall_(stall), from_(from) {}
  std::string url() const { return "http://127.0.0.1:" + std::to_string(server_.port()); }

 private:
  void serve(int fd) {
    for (std::string request = read_request(fd); !request.empty(); request = read_request(fd)) {
      const bool tokenize = request.find("/tokenize HTTP") != std::string::npos;
      const char kind = request.starts_with("GET") ? 'g' : tokenize ? 't' : 'p';
      const int n = served_[kind == 'g' ? 0 : kind == 'p' ? 1 : 2]++;
      const std::string body = kind == 'g' ? kModels : kind == 'p' ? kAnswer : "{}";
      if (kind == from_.kind && n >= from_.first && n <= from_.last) return stall(fd, body);
      write_all(fd, head() + "Content-Length: " + std::to_string(body.size()) + "\r\n\r\n" + body);
    }
  }

  void stall(int fd, const std::string& body) const {
    constexpr int kTurns = 600;  // at most, if the client never closes
    if (stall_ == Stall::silent) return hold(fd);
    write_all(fd, head() + "\r\n");
    if (stall_ == Stall::headers_only) return hold(fd);
    if (stall_ == Stall::never_closes) {
      write_all(fd, body);
      return hold(fd);
    }
    for (int i = 0; i < kTurns; ++i) {
      const bool drips = stall_ == Stall::drip;
      write_all(fd, drips ? kToken.substr(static_cast<std::size_t>(i) % kToken.size(), 1) : kToken);
      if (closed_within(fd, drips ? 1000ms : 100ms)) return;
    }
  }
  static void hold(int fd) { closed_within(fd, 60s); }
  static std::string head() { return "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\n"; }

  const Stall stall_;
  const From from_;
  std::array<std::atomic<int>, 3> served_{};
  RawServer server_{[this](int fd) { serve(fd); }};
};

constexpr StallingServer::From kNever{'p', 1'000'000};

/// Without the line breaks of a table.
std::string one_line(const std::string& text) {
  std::istringstream words(text);
  std::string line;
  for (std::string word; words >> word;) line += word + " ";
  return line;
}

/// What must hold when the binary has ended.
struct Expected {
  std::vector<int> exits;
  std::string says = "";     // on stdout or stderr
  std::string outcome = "";  // of at least one saved record
};
/// A run that goes on: untrustworthy where this machine reads late.
Expected goes_on(std::string says = {}) { return {.exits = {0, 4}, .says = std::move(says)}; }

struct Case {
  Case(std::string of_phase, Stall stall, StallingServer::From from, Words words, Expected expected)
      : phase(std::move(of_phase)), server(stall, from), expect(std::move(expected)) {
    for (auto& word : words) {
      const auto at = word.find("URL");
      if (at != std::string::npos) word.replace(at, 3, server.url());
    }
    words.insert(words.end(), {"-o", folder / "out"});
    process.emplace(words);
  }
  std::string phase;
  StallingServer server;
  Expected expect;
  TemporaryFolder folder;
  std::optional<Process> process;
};

Words run(std::initializer_list<std::string> more) {
  Words words{"run", "URL", "--output-tokens", "2", "--prepare-timeout", "2s"};
  words.insert(words.end(), more);
  return words;
}
/// Nothing before the first measured request but its warm-up.
Words plain(std::initializer_list<std::string> more) {
  Words words = run({"--no-preflight", "--no-calibrate", "--model", "m"});
  words.insert(words.end(), more);
  return words;
}

/// The phases in which a request is sent, with each way to stall.
void add_stalls(Stall stall, std::deque<Case>& cases) {
  const bool whole = stall == Stall::never_closes;  // all that was wanted has come, or a length is missing
  const bool tokens = stall == Stall::endless || whole;
  cases.emplace_back("readiness", stall, StallingServer::From{'g'},
                     run({"-n", "2", "--wait-ready", "1s", "--timeout", "2s"}),
                     Expected{.exits = {3}, .says = "no answer from"});
  cases.emplace_back("identity", stall, StallingServer::From{'g'}, run({"-n", "2", "--timeout", "1s"}),
                     Expected{.exits = {3}, .says = "within 1 s (--timeout)"});
  cases.emplace_back("preflight", stall, StallingServer::From{'p', 0, 0},
                     run({"-n", "2", "--no-calibrate", "--timeout", "1s"}),
                     goes_on(tokens ? "" : "the preflight request had no"));
  cases.emplace_back("calibration", stall, StallingServer::From{'t'},
                     run({"-n", "2", "--timeout", "1s", "--prepare-timeout", "600s"}), goes_on());
  cases.emplace_back("calibration", stall, StallingServer::From{'p', 0, 0},
                     run({"-n", "2", "--timeout", "1s", "--no-preflight", "--model", "m"}),
                     goes_on(whole ? "" : "prompt lengths are a guess"));
  cases.emplace_back("priming", stall, StallingServer::From{'p', 0, 0},
                     plain({"-n", "2", "--shared-prefix-tokens", "9", "--prime", "--timeout", "1s"}),
                     Expected{.exits = {3}, .says = "--prime"});
  if (whole) return;  // the end of an answer is not waited for
  cases.emplace_back("warm-up", stall, StallingServer::From{}, plain({"-d", "1s", "--timeout-drain", "1s"}),
                     Expected{{3}, "the warm-up was not over", "aborted"});
  cases.emplace_back("drain", stall, StallingServer::From{'p', 3},
                     plain({"-d", "1s", "--timeout-drain", "1s"}), Expected{{0, 3, 4}, "", "aborted"});
  cases.emplace_back("measured phase", stall, StallingServer::From{'p', 3},
                     plain({"-n", "6", "--timeout", "1s"}), Expected{{0, 3, 4}, "", "timeout"});
}

void add_others(std::deque<Case>& cases) {
  cases.emplace_back("waiting at `--max-in-flight`", Stall::endless, StallingServer::From{},
                     plain({"--rate", "20", "--arrival", "constant", "--max-in-flight", "1", "-d", "1s",
                            "--warmup", "0", "--timeout-drain", "1s"}),
                     Expected{{3, 4}, "", "dropped"});
  cases.emplace_back("waiting for the start", Stall::silent, kNever,
                     plain({"-n", "2", "--start-at", "2099-01-01T00:00:00Z", "--max-time", "2s"}),
                     Expected{{130}, "not done within 2 s (--max-time)"});
  cases.emplace_back("several targets", Stall::endless, StallingServer::From{},
                     Words{"run", "one=URL", "two=URL", "--sequential", "--no-preflight", "--no-calibrate",
                           "--model", "m", "-d", "1s", "--timeout-drain", "1s"},
                     Expected{{3}, "the warm-up was not over"});
  cases.emplace_back("command around a point", Stall::silent, kNever,
                     plain({"-n", "2", "--before-point", "sleep 600", "--timeout", "1s"}),
                     Expected{{3}, "--before-point did not end within 1 s (--timeout)"});
  cases.emplace_back("command around a point", Stall::silent, kNever,
                     plain({"-n", "2", "-c", "1,2", "--after-point", "trap '' TERM; sleep 600 & wait",
                            "--timeout-command", "1s"}),
                     Expected{{3}, "--after-point did not end within 1 s (--timeout-command)"});
  cases.emplace_back("cooldown", Stall::silent, kNever,
                     plain({"-n", "2", "-c", "1,2", "--cooldown", "600s", "--max-time", "6s"}),
                     Expected{{130}, "not done within 6 s (--max-time)"});
  for (const auto* cmd : {"sleep 600", "trap '' TERM; sleep 600 & wait"}) {
    const HeldPort port;
    cases.emplace_back("start of a gate's server", Stall::silent, kNever,
                       Words{"gate", "--baseline-cmd", cmd, "--candidate-cmd", cmd, "--baseline-url",
                             port.url(), "-n", "2", "--max-time", "2s"},
                       Expected{.exits = {130}});
  }
  const HeldPort port;
  cases.emplace_back("start of a gate's server", Stall::silent, kNever,
                     Words{"gate", "--baseline-cmd", "sleep 600", "--candidate-cmd", "true", "--baseline-url",
                           port.url(), "-n", "2", "--ready-timeout", "1s"},
                     Expected{{3}, "was not ready within 1 s"});
}

Words rows_of_the_table() {
  const std::string page = slurp(INFERMETER_SOURCE_DIR "/docs/configuration.md");
  const std::string mark = "\n| phase | bound | what comes then |\n|---|---|---|\n";
  std::istringstream table(page.substr(page.find(mark) + mark.size()));
  Words phases;
  for (std::string line; std::getline(table, line) && line.starts_with("| ");)
    phases.push_back(line.substr(2, line.find(" | ") - 2));
  return phases;
}

/// Rows with a test of their own, by virtual time or below.
const std::set<std::string> kElsewhere{"name resolution",         "waiting for a rate limit",
                                       "unreachable server",      "run of a gate's server",
                                       "stop of a gate's server", "the server's metrics"};

}  // namespace

TEST_CASE("phases: every phase of the table ends, however a server stalls in it") {
  std::deque<Case> cases;
  std::set<std::string> tried = kElsewhere;
  const auto finish = [&] {
    for (auto& one : cases) {
      tried.insert(one.phase);
      const Finished ended = one.process->wait();
      INFO(one.phase << ": " << ended.exit_code << "\n" << ended.out << ended.err);
      CHECK(std::ranges::find(one.expect.exits, ended.exit_code) != one.expect.exits.end());
      CHECK(one_line(ended.out + ended.err).find(one.expect.says) != std::string::npos);
      if (one.expect.outcome.empty()) continue;
      const std::string records = slurp(one.folder / "out/requests.jsonl");
      CHECK(records.find("\"class\":\"" + one.expect.outcome + "\"") != std::string::npos);
    }
    cases.clear();
  };
  for (const Stall stall : kStalls) {
    add_stalls(stall, cases);
    finish();
  }
  add_others(cases);
  finish();
  const Words rows = rows_of_the_table();
  CHECK(std::set(rows.begin(), rows.end()) == tried);
}

TEST_CASE("phases: a name that nobody resolves is given up by the connection's limit") {
  const std::atomic<bool> stop{false};
  const TimeLimit limit = TimeLimit(stop).within(now(), 0ns, "--timeout-connect");
  try {
    resolve_entry("name.invalid", 80, limit);
    FAIL("it has an address");
  } catch (const EnvironmentError& error) {
    CHECK(std::string(error.what()).find("cannot resolve name.invalid") == 0);
  }
}

TEST_CASE("phases: a command around a point is ended with all of its process group") {
  TemporaryFolder folder;
  const std::atomic<bool> stop{false};
  const TimeLimit limit = TimeLimit(stop).within(now(), 200ms, "--timeout-command");
  const std::string mark = "98764." + std::to_string(getpid());
  CHECK_FALSE(run_shell_command("sleep " + mark + " & sleep " + mark, {}, limit).has_value());
  const std::string left = "pgrep -f '^sleep " + mark + "' > /dev/null";
  CHECK(eventually([&] { return run_shell_command(left, {}, TimeLimit(stop)) == 1; }));
}

TEST_CASE("phases: --max-time ends a run, a sweep, several targets and a gate with what was measured") {
  const SimulatorProcess there({"fixed:ttft=5ms,itl=5ms"});
  const Words lists[] = {
      {"run", there.url(), "-d", "600s"},
      {"run", "--sim", "fixed:ttft=5ms,itl=5ms", "-d", "600s"},
      {"run", there.url(), "-c", "1,2,3", "-n", "1000000"},
      {"run", "a=" + there.url(), "b=" + there.url(), "--alternate", "-d", "600s"},
      {"gate", "--baseline-url", there.url(), "--candidate-url", there.url(), "-d", "600s"},
  };
  std::deque<TemporaryFolder> folders;
  std::deque<Process> processes;
  for (Words words : lists) {
    words.insert(words.end(), {"--model", "fixed", "--no-preflight", "--no-calibrate", "--max-time", "6s",
                               "-o", folders.emplace_back() / "out"});
    processes.emplace_back(words);
  }
  for (std::size_t i = 0; i < processes.size(); ++i) {
    const Finished ended = processes[i].wait();
    INFO(ended.out << ended.err);
    CHECK(ended.exit_code == 130);
    const auto run = result_in(folders[i] / "out")["run"];
    CHECK(run["interrupted"] == true);
    CHECK(run["complete"] == true);
    CHECK(run["ended_early"].get<std::string>().starts_with("not done within 6 s (--max-time)"));
    CHECK(count_lines(folders[i] / "out/requests.jsonl") > 0);
  }
}

TEST_CASE("phases: --max-time that is over before the first request is exit 130 and names the option") {
  const StallingServer server(Stall::silent, {'g'});
  const Finished ended =
      infermeter_once({"run", server.url(), "-n", "2", "--prepare-timeout", "600s", "--max-time", "1s"});
  CHECK(ended.exit_code == 130);
  CHECK(ended.err.find("not ready for the first request within 1 s (--max-time)") != std::string::npos);
}

TEST_CASE("gate: a server that ends while it is measured ends the run at once") {
  TemporaryFolder folder;
  const HeldPort port;
  const std::string serves =
      std::string(INFERMETER_BINARY) + " simulate fixed:ttft=5ms,itl=5ms --port " + port.number();
  // `wait` returns when the simulator is killed, the helper goes on; the gate's run would last ten minutes.
  Process gate({"gate", "--baseline-cmd",
                "sleep 600 & " + serves + " & echo $! > " + folder / "pid" + "; wait $!", "--candidate-cmd",
                serves, "--baseline-url", port.url(), "-d", "600s", "-o", folder / "out"});
  REQUIRE(eventually([&] { return count_lines(folder / "out/requests.jsonl") > 5; }));
  kill(std::stoi(slurp(folder / "pid")), SIGKILL);
  const Finished ended = gate.wait();
  INFO(ended.out << ended.err);
  CHECK(ended.exit_code == 3);
  CHECK(ended.err.find("the baseline's server ended while it was measured") != std::string::npos);
  CHECK(count_lines(folder / "out/requests.jsonl") > 5);
}

TEST_CASE("gate: a server that takes no connection any more ends the gate with exit 3") {
  TemporaryFolder folder;
  const SimulatorProcess candidate({"fixed:ttft=5ms,itl=5ms"});
  std::optional<SimulatorProcess> baseline;
  baseline.emplace(Words{"fixed:ttft=5ms,itl=5ms"});
  Process gate({"gate", "--baseline-url", baseline->url(), "--candidate-url", candidate.url(), "-d", "600s",
                "--timeout-connect", "1s", "-o", folder / "out"});
  REQUIRE(eventually([&] { return count_lines(folder / "out/requests.jsonl") > 5; }));
  baseline.reset();  // killed
  const Finished ended = gate.wait();
  INFO(ended.out << ended.err);
  CHECK(ended.exit_code == 3);
  CHECK(one_line(ended.out + ended.err).find("no connection was established for 5 s") != std::string::npos);
}
