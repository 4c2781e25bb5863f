// `gate` as CI jobs run it. Differences between servers are large. A machine that reads even slow streams
// late makes pairs that do not count: the verdict itself says how many, and so which exit code it must have.
#include <signal.h>

#include <algorithm>
#include <cmath>

#include "catch.hpp"
#include "run_folder.hpp"

using namespace infermeter;
using nlohmann::json;

namespace {

// Slow streams: the machine would have to stop for 10 ms to make one of their events late.
const std::string kBase = "fixed:ttft=40ms,itl=20ms";
const std::string kTwice = "fixed:ttft=90ms,itl=20ms";

std::vector<std::string> with_words(std::vector<std::string> words, std::initializer_list<std::string> more) {
  words.insert(words.end(), more);
  return words;
}

/// Chance never makes equal servers differ so much.
const std::string kWideMargin = "ttft.p50:100%/200%";

std::vector<std::string> gate(std::initializer_list<std::string> words,
                              const std::string& metric = "ttft.p50") {
  return with_words(with_words({"gate"}, words),
                    {"-n", "3", "--no-calibrate", "--output-tokens", "3", "--metric", metric});
}

/// Without the search for leaks, which hangs in a process whose parent has ended.
std::string serving(const std::string& preset, const HeldPort& port) {
  return std::string("ASAN_OPTIONS=detect_leaks=0 ") + INFERMETER_BINARY + " simulate " + preset +
         " --port " + port.number();
}

/// Pairs that were not set aside.
std::ptrdiff_t counted_pairs(const json& verdict) {
  return std::ranges::count_if(verdict["units"],
                               [](const json& unit) { return unit["set_aside"].is_null(); });
}

/// The exit code of a gate that decides `code` by the pairs that count: 4 if too many do not (docs/gate.md).
int code_if_enough_count(const json& verdict, int code) {
  const auto counted = counted_pairs(verdict), aside = std::ssize(verdict["units"]) - counted;
  return aside > std::max<std::ptrdiff_t>(5, counted) ? 4 : code;
}

/// Whether the command line of any process but a gate contains this.
bool runs_anywhere(const std::string& text) {
  for (const auto& entry : std::filesystem::directory_iterator("/proc")) {
    std::string line = slurp(entry.path().string() + "/cmdline");
    std::ranges::replace(line, '\0', ' ');
    if (line.find(text) != std::string::npos && line.find(" gate ") == std::string::npos) return true;
  }
  return false;
}

bool is_trusted(const json& point) { return point["validity"]["trustworthy"] == true; }

/// Of a saved run.
std::ptrdiff_t trusted_points(const std::string& folder) {
  return std::ranges::count_if(result_in(folder)["points"], is_trusted);
}

double ttft_of(const json& point) { return point["metrics"]["ttft"]["percentiles"]["p50"]["value"]; }

const json& change(const json& verdict, const std::string& metric) {
  return *std::ranges::find_if(verdict["judgements"], [&](const json& j) { return j["text"] == metric; });
}

}  // namespace

TEST_CASE("gate: a candidate whose TTFT is twice as long fails after six pairs") {
  TemporaryFolder folder;
  SimulatorProcess baseline({kBase}), candidate({kTwice});
  const Finished run = infermeter_once(
      gate({"--baseline-url", baseline.url(), "--candidate-url", candidate.url(), "-o", folder / "out"}));
  INFO(run.out << run.err);
  const json verdict = json_file(folder / "out/verdict.json"), result = result_in(folder / "out");
  CHECK(verdict["exit_code"] == run.exit_code);
  CHECK(run.exit_code == code_if_enough_count(verdict, 1));
  CHECK(result["run"]["target_order"] == "pairs");
  const auto& points = result["points"];
  REQUIRE(points.size() == 2 * verdict["units"].size());
  REQUIRE(points.size() >= 2 * 6);
  for (std::size_t i = 0; i < points.size(); i += 2) {
    CHECK(points[i]["ok"] == 3);
    // Where the client was late, the change is the one that speaks most against the verdict.
    if (!is_trusted(points[i]) || !is_trusted(points[i + 1])) continue;
    CHECK(verdict["units"][i / 2]["changes"]["ttft.p50"].get<double>() ==
          Approx(std::log(ttft_of(points[i + 1]) / ttft_of(points[i]))).margin(0.001));
  }
  if (run.exit_code == 4) return;
  CHECK(verdict["decision"] == "fail");
  CHECK(result["verdict"]["decision"] == "fail");
  CHECK(change(verdict, "ttft.p50")["value"] > 0.5);
  CHECK(run.out.find("ttft.p50") != std::string::npos);
  CHECK(run.err.find("pair  6 of 6–16") != std::string::npos);
}

TEST_CASE("gate: the runs of a pair have one schedule and one seed, and no prompt in common") {
  TemporaryFolder folder;
  SimulatorProcess baseline({kBase}), candidate({kTwice});
  const Finished run = infermeter_once(
      {"gate", "--baseline-url", baseline.url(), "--candidate-url", candidate.url(), "--rate", "20", "-n",
       "4", "--warmup", "1", "--output-tokens", "2", "--metric", "ttft.p50", "-o", folder / "out"});
  INFO(run.out << run.err);
  std::vector<std::string> hashes, nonces;
  const json result = result_in(folder / "out");
  for (const auto& point : result["points"]) {
    hashes.push_back(point["load"]["schedule_hash"]);
    nonces.push_back(point["load"]["nonce"]);
  }
  REQUIRE(hashes.size() >= 6);
  for (std::size_t i = 0; i + 1 < hashes.size(); i += 2) CHECK(hashes[i] == hashes[i + 1]);
  CHECK(hashes[0] != hashes[2]);
  std::ranges::sort(nonces);
  CHECK(std::ranges::adjacent_find(nonces) == nonces.end());
  for (const auto& nonce : nonces) CHECK(std::ranges::count(nonce, ' ') == 3);  // four words, a token each
}

TEST_CASE("gate: two equal servers never fail, and the exit code is the verdict's") {
  TemporaryFolder folder;
  SimulatorProcess one({kBase}), other({kBase});
  const Finished run = infermeter_once(
      gate({"--baseline-url", one.url(), "--candidate-url", other.url(), "-o", folder / "out"}, kWideMargin));
  INFO(run.out << run.err);
  const json verdict = json_file(folder / "out/verdict.json");
  CHECK(verdict["decision"] != "fail");
  CHECK(verdict["exit_code"] == run.exit_code);
  CHECK(run.exit_code == code_if_enough_count(verdict, verdict["decision"] == "pass" ? 0 : 5));
}

TEST_CASE("gate: commands are started in turn, and nothing of them is left") {
  TemporaryFolder folder;
  const HeldPort port;
  const Finished run = infermeter_once(
      gate({"--baseline-cmd", serving(kBase, port), "--candidate-cmd", serving(kTwice, port) + " & wait",
            "--baseline-url", port.url(), "--blocks", "2", "-o", folder / "out"}));
  INFO(run.out << run.err);
  CHECK(run.exit_code == code_if_enough_count(json_file(folder / "out/verdict.json"), 1));
  CHECK(std::filesystem::exists(folder / "out/baseline-3.log"));
  CHECK(slurp(folder / "out/candidate-1.log").find("listening on") != std::string::npos);
  CHECK_FALSE(runs_anywhere("--port " + port.number()));
}

TEST_CASE("gate: a command that ends at once is exit 3, with its last lines") {
  TemporaryFolder folder;
  const HeldPort port;
  const Finished run =
      infermeter_once(gate({"--baseline-cmd", "echo no weights here; exit 7", "--candidate-cmd", "true",
                            "--baseline-url", port.url(), "-o", folder / "out"}));
  CHECK(run.exit_code == 3);
  CHECK(run.err.find("the baseline's server ended before it was ready (exit status 7)") != std::string::npos);
  CHECK(run.err.find("no weights here") != std::string::npos);
}

TEST_CASE("gate: a server that never gets ready is exit 3, and is ended") {
  TemporaryFolder folder;
  const HeldPort port;
  const std::string mark = "sleep 98765." + std::to_string(getpid());
  const Finished run =
      infermeter_once(gate({"--baseline-cmd", "echo loading; " + mark, "--candidate-cmd", "true",
                            "--ready-timeout", "1s", "--baseline-url", port.url(), "-o", folder / "out"}));
  CHECK(run.exit_code == 3);
  CHECK(run.err.find("was not ready within 1 s") != std::string::npos);
  CHECK(run.err.find("loading") != std::string::npos);
  CHECK_FALSE(runs_anywhere(mark));
}

TEST_CASE("gate: a server that is there before the command is not taken for the command's") {
  TemporaryFolder folder;
  SimulatorProcess there({kBase});
  const Finished run = infermeter_once(gate({"--baseline-cmd", "sleep 60", "--candidate-cmd", "sleep 60",
                                             "--baseline-url", there.url(), "-o", folder / "out"}));
  CHECK(run.exit_code == 3);
  CHECK(run.err.find("a server is already listening") != std::string::npos);
}

TEST_CASE("gate: an interrupt ends the servers, saves what was measured and exits with 130") {
  TemporaryFolder folder;
  const HeldPort port;
  Process run(gate({"--baseline-cmd", serving(kBase, port), "--candidate-cmd", serving(kTwice, port),
                    "--baseline-url", port.url(), "-o", folder / "out"}));
  REQUIRE(eventually([&] { return run.err().find("pair ") != std::string::npos; }));
  run.signal(SIGINT);
  const Finished ended = run.wait();
  INFO(ended.out << ended.err);
  CHECK(ended.exit_code == 130);
  CHECK_FALSE(runs_anywhere("--port " + port.number()));
  CHECK(result_in(folder / "out")["run"]["interrupted"] == true);
}

TEST_CASE("gate: killed by SIGKILL it leaves nothing of the server that it started") {
  TemporaryFolder folder;
  const HeldPort port;
  const std::string mark = "sleep 98764." + std::to_string(getpid());
  Process run(
      gate({"--baseline-cmd", "env -i /usr/bin/setsid " + mark + " & " + serving(kBase, port) + " & wait",
            "--candidate-cmd", "true", "--baseline-url", port.url(), "-o", folder / "out"}));
  REQUIRE(eventually([&] { return run.err().find("ready after") != std::string::npos; }));
  REQUIRE(runs_anywhere(mark));
  run.signal(SIGKILL);
  CHECK(run.wait().exit_code == 128 + SIGKILL);
  CHECK(eventually([&] { return !runs_anywhere(mark) && !runs_anywhere("--port " + port.number()); }));
}

TEST_CASE("gate: servers of different models are not compared") {
  SimulatorProcess one({kBase}), other({"h100-8b"});
  TemporaryFolder folder;
  const Finished run = infermeter_once(
      gate({"--baseline-url", one.url(), "--candidate-url", other.url(), "-o", folder / "out"}));
  CHECK(run.exit_code == 3);
  CHECK(run.err.find("the baseline serves") != std::string::npos);
}

TEST_CASE("gate: answers of another length stop it after the first pair") {
  SimulatorProcess one({kBase}), other({kBase, "--fault", "eos=1"});
  TemporaryFolder folder;
  const Finished run = infermeter_once(gate({"--baseline-url", one.url(), "--candidate-url", other.url(),
                                             "--no-exact-output", "-o", folder / "out"}));
  INFO(run.out << run.err);
  CHECK(run.exit_code == 3);
  CHECK(run.out.find("the baseline's answers have 3") != std::string::npos);
}

TEST_CASE("gate: a metric that the servers never give ends it after the first pair") {
  TemporaryFolder folder;
  SimulatorProcess server({kBase});
  const Finished run = infermeter_once(
      with_words(gate({"--baseline-url", server.url(), "--candidate-url", server.url(), "-o", folder / "out"},
                      "ttft.p50:100%/200%"),
                 {"--metric", "server_queue.p50", "--max-pairs", "16"}));
  INFO(run.out << run.err);
  const json verdict = json::parse(slurp(folder / "out/verdict.json"));
  CHECK(counted_pairs(verdict) <= 1);
  CHECK(run.exit_code == code_if_enough_count(verdict, 5));
  if (counted_pairs(verdict) == 0) return;
  CHECK(change(verdict, "server_queue.p50")["reason"].get<std::string>().starts_with("Neither side has a"));
  CHECK(run.out.find("No pair will have server_queue.p50") != std::string::npos);
}

TEST_CASE("gate: a candidate that does not stream stops it after the first pair") {
  SimulatorProcess one({kBase}), other({kBase, "--fault", "not-stream"});
  TemporaryFolder folder;
  const Finished run = infermeter_once(
      gate({"--baseline-url", one.url(), "--candidate-url", other.url(), "-o", folder / "out"}));
  INFO(run.out << run.err);
  CHECK(run.exit_code == 3);
  CHECK(run.out.find("Not compared: the candidate does not stream") != std::string::npos);
}

TEST_CASE("gate: a server against itself tells how much its pairs differ") {
  TemporaryFolder folder;
  const SimulatorProcess server({kBase});
  const Finished run =
      infermeter_once({"gate", "--aa", "--baseline-url", server.url(), "-c", "3", "-n", "3", "--max-pairs",
                       "6", "--output-tokens", "2", "--metric", kWideMargin, "-o", folder / "out"});
  INFO(run.out << run.err);
  const json verdict = json_file(folder / "out/verdict.json");
  CHECK(verdict["decision"] != "fail");
  CHECK(run.exit_code == code_if_enough_count(verdict, verdict["decision"] == "pass" ? 0 : 5));
  // Two pairs are the fewest that have a spread; pairs with a late client have bounds instead of values, and
  // the others may be enough.
  const std::string notes = verdict["notes"].dump();
  if (notes.find("The client was late") != std::string::npos) return;
  CHECK((notes.find("ttft.p50: two equal runs differ by ") != std::string::npos) ==
        (counted_pairs(verdict) >= 2));
}

TEST_CASE("gate: a budget says what it can find before it starts, or that it is too small") {
  TemporaryFolder folder;
  const SimulatorProcess server({kBase});
  const auto within = [&](const std::string& budget) {
    return std::vector<std::string>{"gate",        "--baseline-url", server.url(), "--candidate-url",
                                    server.url(),  "--budget",       budget,       "-o",
                                    folder / "out"};
  };
  const Finished small = infermeter_once(within("1s"));
  CHECK(small.exit_code == 2);
  CHECK(small.err.find("1 s is too short for 6 pairs of runs; 60 s is enough") != std::string::npos);
  CHECK_FALSE(std::filesystem::exists(folder / "out"));
  Process run(within("60s"));
  REQUIRE(eventually([&] { return run.err().find(" baseline ") != std::string::npos; }));
  run.signal(SIGINT);
  const Finished ended = run.wait();
  CHECK(ended.exit_code == 130);
  CHECK(ended.err.find("up to 6 pairs of runs of 2 s: detects changes in TTFT p50 ") != std::string::npos);
}

TEST_CASE("gate: results of another length are refused by name, and compared by force") {
  TemporaryFolder folder;
  for (const std::string tokens : {"2", "4"})
    infermeter_once({"run", "--sim", kBase, "--runs", "3", "-c", "3", "-n", "3", "--output-tokens", tokens,
                     "-o", folder / tokens});
  const auto judged = [&](const std::string& name, std::initializer_list<std::string> more) {
    return infermeter_once(with_words({"gate", "--baseline", folder / "2", "--candidate", folder / "4",
                                       "--metric", "ttft.p50", "-o", folder / name},
                                      more));
  };
  const Finished refused = judged("no", {}), forced = judged("forced", {"--force"});
  INFO(refused.err << forced.out << forced.err);
  CHECK(refused.exit_code == 2);
  CHECK(refused.err.find("length") != std::string::npos);
  CHECK(forced.exit_code != 2);
  CHECK(json_file(folder / "forced/verdict.json")["notes"].dump().find("length") != std::string::npos);
}

TEST_CASE("gate: saved runs are judged by run, and one a side is refused at the start") {
  TemporaryFolder folder;
  for (const auto& [name, preset] : {std::pair{"base", kBase}, {"slow", kTwice}}) {
    const Finished run = infermeter_once(with_words(
        {"run", "--sim", preset, "--runs", "4", "-o", folder / name}, {"-n", "3", "--output-tokens", "3"}));
    CHECK((run.exit_code == 0 || run.exit_code == 4));
  }
  const auto judged = [&](const std::string& candidate) {
    return infermeter_once({"gate", "--baseline", folder / "base", "--candidate", folder / candidate,
                            "--metric", "ttft.p50", "-o", folder / ("gate-" + candidate)});
  };
  const Finished slow = judged("slow"), twice = judged("base");
  INFO(slow.out << slow.err << twice.out << twice.err);
  const json verdict = json_file(folder / "gate-slow/verdict.json");
  const auto of_base = trusted_points(folder / "base"), of_slow = trusted_points(folder / "slow");
  const bool enough = std::min(of_base, of_slow) >= 2 && of_base + of_slow >= 4;
  if (of_base + of_slow == 8) CHECK(verdict["decision"] == "fail");
  CHECK(slow.exit_code == (!enough ? 4 : verdict["decision"] == "fail" ? 1 : 5));
  CHECK(verdict["exit_code"] == slow.exit_code);
  CHECK(twice.exit_code == 2);
  CHECK(twice.err.find("is given twice") != std::string::npos);

  const Finished single = infermeter_once(
      with_words({"run", "--sim", kBase, "-o", folder / "single"}, {"-n", "3", "--output-tokens", "3"}));
  CHECK((single.exit_code == 0 || single.exit_code == 4));
  const Finished refused = infermeter_once({"gate", "--baseline", folder / "single", "--candidate",
                                            folder / "single", "--force", "-o", folder / "no"});
  CHECK(refused.exit_code == 2);
  CHECK(refused.err.find("--runs") != std::string::npos);
  CHECK_FALSE(std::filesystem::exists(folder / "no"));
}

TEST_CASE("gate: a saved result is held against limits with three answers") {
  TemporaryFolder folder;
  infermeter_once(
      {"run", "--sim", kBase, "-c", "4", "-n", "100", "--output-tokens", "2", "-o", folder / "run"});
  const auto code = [&](const std::string& limit, const std::string& name,
                        const std::string& inconclusive = "exit5") {
    return infermeter_once({"gate", folder / "run", "--assert", limit, "--on-inconclusive", inconclusive,
                            "-o", folder / name})
        .exit_code;
  };
  // `gate` and `report` judge a saved run; whether this machine was quiet enough for it is not asserted.
  const bool trusted = first_point_in(folder / "run")["validity"]["trustworthy"];
  CHECK(code("ttft.p50 < 30s", "holds") == (trusted ? 0 : 4));
  CHECK(code("ttft.p50 < 10ms", "broken") == (trusted ? 1 : 4));
  CHECK(code("ttft.p99.9 < 30s", "open") == (trusted ? 5 : 4));
  CHECK(code("ttft.p99.9 < 30s", "let", "pass") == (trusted ? 0 : 4));
  CHECK(code("ttft.p99.9 < 30s", "not", "fail") == (trusted ? 1 : 4));
}
