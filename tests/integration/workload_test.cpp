// Workloads, load shapes and targets as users run them. Asserted are counts, the records, the requests that
// the server received, and the simulator's truth, never the speed of this machine.
#include <algorithm>
#include <array>
#include <cmath>
#include <fstream>
#include <map>
#include <set>

#include "catch.hpp"
#include "run_folder.hpp"
#include "truth.hpp"

using namespace infermeter;
using nlohmann::json;

namespace {

const std::string kFast = "fixed:ttft=5ms,itl=1ms";

void write_text(const std::string& path, const std::string& text) { std::ofstream(path) << text; }

/// From a target's first start to its last end.
struct TargetSpan {
  std::int64_t first_start_us, last_end_us;
};

std::map<std::uint32_t, TargetSpan> spans_of_targets(const std::vector<RequestRecord>& records) {
  std::map<std::uint32_t, TargetSpan> spans;
  for (const auto& record : records) {
    const TargetSpan own{*record.started_us, *record.end_us};
    TargetSpan& span = spans.try_emplace(record.target, own).first->second;
    span = {std::min(span.first_start_us, own.first_start_us), std::max(span.last_end_us, own.last_end_us)};
  }
  return spans;
}

/// Items of the answers that ended in the steady window, as its limits are saved.
double items_in_window(const json& throughput, const std::vector<RequestRecord>& records) {
  const auto us = [&](const char* limit) { return std::llround(throughput[limit].get<double>() * 1e6); };
  double items = 0;
  for (const auto& record : records) {
    if (record.phase != Phase::measured || record.outcome != Outcome::ok) continue;
    const bool inside = *record.end_us > us("steady_from_s") && *record.end_us <= us("steady_to_s");
    items += inside ? static_cast<double>(*record.items) : 0;
  }
  return items;
}

}  // namespace

TEST_CASE("lengths: a prompt asked for is the prompt counted, with /tokenize and without") {
  for (const std::string fault : {"", "no-tokenize"}) {
    for (const std::string asked : {"60", "1k"}) {
      INFO(fault << " " << asked);
      TemporaryFolder folder;
      std::vector<std::string> words{"run", "--sim", kFast, "--input-tokens", asked, "--output-tokens", "2",
                                     "-n",  "20",    "-o",  folder / "out"};
      if (!fault.empty()) words.insert(words.end(), {"--fault", fault});
      CHECK(measured(infermeter_once(words)));
      const double wanted = asked == "1k" ? 1000 : 60;
      for (const auto& record : records_in(folder / "out")) {
        REQUIRE(record.prompt_tokens);
        CHECK(std::abs(static_cast<double>(*record.prompt_tokens) - wanted) <= std::max(2.0, 0.02 * wanted));
      }
    }
  }
}

TEST_CASE("lengths: a server that reports no usage is measured and the guess is named") {
  TemporaryFolder folder;
  const Finished run =
      infermeter_once({"run", "--sim", kFast, "--fault", "no-usage", "--fault", "no-tokenize", "-n", "10",
                       "--output-tokens", "4", "-o", folder / "out"});
  CHECK(measured(run));
  CHECK(result_in(folder / "out")["workload"]["calibration"].get<std::string>().find("guess") !=
        std::string::npos);
}

TEST_CASE("cold: a second run finds nothing of the first in the server's prefix cache") {
  TemporaryFolder folder;
  SimulatorProcess simulator({"h100-8b", "--time-scale", "0.1"});
  for (const std::string run : {"first", "second"}) {
    CHECK(measured(infermeter_once({"run", simulator.url(), "-c", "4", "-n", "40", "--input-tokens", "1k",
                                    "--output-tokens", "8", "-o", folder / run})));
    for (const auto& record : records_in(folder / run)) CHECK(record.cached_tokens.value_or(0) <= 16);
  }
}

TEST_CASE("prefix: a primed group's prefix is in the cache and the rest of each prompt is not") {
  TemporaryFolder folder;
  CHECK(measured(infermeter_once({"run", "--sim", "h100-8b:time-scale=0.1", "-c", "2", "-n", "24", "--prime",
                                  "--shared-prefix-tokens", "400", "--prefix-groups", "3", "--input-tokens",
                                  "600", "--output-tokens", "4", "-o", folder / "out"})));
  std::set<std::uint32_t> groups;
  for (const auto& record : records_in(folder / "out")) {
    groups.insert(record.prefix_group);
    CHECK(record.cached_tokens.value_or(0) >= 368);  // whole blocks of 16 within the 400
    CHECK(record.cached_tokens.value_or(0) <= 416);
    CHECK(record.prompt_tokens.value_or(0) == Approx(600).margin(12));
  }
  CHECK(groups == std::set<std::uint32_t>{1, 2, 3});
}

TEST_CASE("conversations: turns find the history in the cache and are shown apart") {
  TemporaryFolder folder;
  CHECK(measured(infermeter_once({"run", "--sim", "h100-8b:time-scale=0.1", "-c", "2", "-n", "6", "--turns",
                                  "3", "--input-tokens", "200", "--output-tokens", "16", "--session-header",
                                  "X-Session", "--session-connection", "-o", folder / "out"})));
  std::map<std::uint64_t, std::vector<RequestRecord>> by_conversation;
  for (auto& record : records_in(folder / "out"))
    by_conversation[record.conversation.value()].push_back(record);
  CHECK(by_conversation.size() == 6 + 2);  // and one per slot of warm-up
  for (auto& [id, turns] : by_conversation) {
    REQUIRE(turns.size() == 3);
    std::ranges::sort(turns, {}, &RequestRecord::turn);
    CHECK(*turns[1].prompt_tokens >= *turns[0].prompt_tokens + 200);
    CHECK(turns[2].cached_tokens.value_or(0) >= *turns[1].prompt_tokens - 32);
  }
  const json point = first_point_in(folder / "out");
  CHECK(point["conversations"] == 6);
  CHECK(std::ranges::count_if(point["slices"], [](const json& s) { return s["by"] == "turn"; }) == 3);
}

TEST_CASE("data: every format is sent as its file says") {
  TemporaryFolder folder;
  write_text(folder / "plain.jsonl",
             "{\"prompt\":\"alpha beta\",\"output_tokens\":3,\"id\":\"one\"}\n"
             "{\"messages\":[{\"role\":\"user\",\"content\":\"gamma\"}],\"headers\":{\"X-Kind\":\"b\"}}\n");
  CHECK(measured(infermeter_once({"run", "--sim", kFast, "--workload", folder / "plain.jsonl", "-n", "4",
                                  "--warmup", "0", "--output-tokens", "5", "-o", folder / "out"})));
  auto records = records_in(folder / "out");
  std::ranges::sort(records, {}, &RequestRecord::id);
  REQUIRE(records.size() == 4);
  CHECK(records[0].label == "one");
  CHECK(records[0].output_tokens == 3);
  CHECK(records[1].output_tokens == 5);
  CHECK(records[2].label == "one");
}

TEST_CASE("data: a bad line stops before the first request and names itself") {
  TemporaryFolder folder;
  write_text(folder / "bad.jsonl", "{\"prompt\":\"a\"}\n{\"prompt\":\n{\"prompt\":\"b\"}\n");
  const Finished refused =
      infermeter_once({"run", "--sim", kFast, "--workload", folder / "bad.jsonl", "-n", "2"});
  CHECK(refused.exit_code == 2);
  CHECK(refused.err.find("bad.jsonl") != std::string::npos);
  CHECK(refused.err.find("line 2") != std::string::npos);
  CHECK(
      measured(infermeter_once({"run", "--sim", kFast, "--workload", folder / "bad.jsonl", "--skip-bad-lines",
                                "-n", "2", "--output-tokens", "2", "-o", folder / "out"})));
  CHECK(result_in(folder / "out")["workload"]["bad_lines"] == 1);
}

TEST_CASE("trace: a thousand stamps are kept, and late means late in the record") {
  TemporaryFolder folder;
  std::string trace;
  for (int i = 0; i < 1000; ++i)
    trace += "{\"timestamp\":" + std::to_string(i * 4) +
             ",\"input_length\":64,\"output_length\":2,\"hash_ids\":[" + std::to_string(i % 7) + "]}\n";
  write_text(folder / "trace.jsonl", trace);
  const Finished run = infermeter_once({"run", "--sim", kFast, "--workload", folder / "trace.jsonl",
                                        "--arrival", "trace", "--replay-speed", "2x", "-o", folder / "out"});
  CHECK(measured(run));
  const auto records = records_in(folder / "out");
  REQUIRE(records.size() == 1000);
  std::vector<std::int64_t> intended;
  for (const auto& record : records) intended.push_back(*record.intended_us);
  std::ranges::sort(intended);
  for (std::size_t i = 0; i < intended.size(); ++i)
    CHECK(intended[i] - intended[0] == static_cast<std::int64_t>(i) * 2000);
  const json point = first_point_in(folder / "out");
  CHECK(point["metrics"]["client_queue"]["count"] == 1000);
  CHECK(point["load"]["replay"] == "2x");
}

TEST_CASE("sweep: every point has its own nonce and place, and a sweep that stops says so") {
  TemporaryFolder folder;
  const Finished run =
      infermeter_once({"run", "--sim", kFast, "-c", "1,2,4,8", "--stop-when", "ttft.p50 > 1ms", "-n", "2x",
                       "--output-tokens", "4", "-o", folder / "stopped"});
  CHECK(measured(run));
  CHECK(result_in(folder / "stopped")["points"].size() == 1);
  CHECK(run.out.find("--stop-when") != std::string::npos);
  CHECK(measured(infermeter_once({"run", "--sim", kFast, "-c", "1,2", "--shape", "32/2,64/4", "-n", "2x",
                                  "--before-point", "echo $INFERMETER_POINT_NUMBER >>" + (folder / "hooks"),
                                  "-o", folder / "whole"})));
  CHECK(slurp(folder / "hooks") == "1\n2\n3\n4\n");
  std::set<std::string> nonces;
  const json whole = result_in(folder / "whole");
  for (const auto& point : whole["points"]) nonces.insert(point["load"]["nonce"]);
  CHECK(nonces.size() == 4);
}

TEST_CASE("workload: -q hid that lines of the file are skipped") {
  TemporaryFolder folder;
  std::ofstream(folder / "bad.jsonl") << R"({"prompt":"a b c"})" << "\n{\n"
                                      << R"({"prompt":"d e f"})" << "\n";
  const std::string warning =
      "warning: " + folder / "bad.jsonl" + ": 1 bad lines are skipped, the first of them ";
  const std::vector<std::string> common{"--workload", folder / "bad.jsonl", "--skip-bad-lines", "-n", "4"};
  std::vector<std::string> run{"run", "--sim", kFast, "-q", "-o", folder / "out"};
  run.insert(run.end(), common.begin(), common.end());
  CHECK(infermeter_once(run).err.find(warning) != std::string::npos);
  SimulatorProcess one({kFast}), two({kFast});
  std::vector<std::string> gate{
      "gate",          "--baseline-url", one.url(), "--candidate-url", two.url(), "-q", "-o",
      folder / "gate", "--max-pairs",    "6"};
  gate.insert(gate.end(), common.begin(), common.end());
  CHECK(infermeter_once(gate).err.find(warning) != std::string::npos);
}

TEST_CASE("sim: -q hid that the file of true times ends early") {
  TemporaryFolder folder;
  const Finished run =
      infermeter_once({"run", "--sim", kFast, "--truth", "/dev/full", "-n", "4", "-q", "-o", folder / "out"});
  CHECK(run.err.find("warning: the truth file ends here: No space left on device") != std::string::npos);
}

TEST_CASE("sweep: a run broken off is resumed and its finished points are not measured again") {
  TemporaryFolder folder;
  const std::vector<std::string> words{"-c", "1,2,4", "-n", "4x", "--output-tokens", "4", "-q"};
  SimulatorProcess simulator({kFast});
  std::vector<std::string> first{
      "run", simulator.url(), "--after-point", "test $INFERMETER_POINT_NUMBER -lt 2", "-o", folder / "out"};
  first.insert(first.end(), words.begin(), words.end());
  CHECK(infermeter_once(first).exit_code == 3);
  REQUIRE(result_in(folder / "out")["points"].size() == 2);
  const json before = result_in(folder / "out")["points"];
  std::vector<std::string> again{"run", simulator.url(), "--resume", folder / "out"};
  again.insert(again.end(), words.begin(), words.end());
  CHECK(measured(infermeter_once(again)));
  const json after = result_in(folder / "out")["points"];
  REQUIRE(after.size() == 3);
  CHECK(after[0]["metrics"] == before[0]["metrics"]);
  CHECK(after[1]["metrics"] == before[1]["metrics"]);
  CHECK(records_in(folder / "out").size() == 7 * 4 + 7);  // and the warm-ups
}

TEST_CASE("sweep: a run of the built-in simulator could not be resumed, since its port was another one") {
  TemporaryFolder folder;
  const auto words = [&](const std::string& preset, std::vector<std::string> more) {
    more.insert(more.begin(), {"run", "--sim", preset, "-c", "1,2", "-n", "4", "--output-tokens", "4", "-q"});
    return more;
  };
  CHECK(infermeter_once(words(kFast, {"--after-point", "false", "-o", folder / "out"})).exit_code == 3);
  REQUIRE(result_in(folder / "out")["points"].size() == 1);
  for (const auto& other : {words("fixed:ttft=80ms,itl=2ms", {"--resume", folder / "out"}),
                            words(kFast, {"--fault", "inband:0.5", "--resume", folder / "out"})}) {
    const Finished refused = infermeter_once(other);
    CHECK(refused.exit_code == 2);
    CHECK(
        refused.err.find("was measured at the simulator fixed:ttft=5ms,itl=1ms, not the simulator fixed:") !=
        std::string::npos);
  }
  const Finished resumed = infermeter_once(words(kFast, {"--resume", folder / "out"}));
  INFO(resumed.err);
  CHECK(measured(resumed));
  CHECK(result_in(folder / "out")["points"].size() == 2);
}

TEST_CASE("stages: what is sent in a ramp is marked and kept out of the figures") {
  TemporaryFolder folder;
  CHECK(measured(infermeter_once({"run", "--sim", kFast, "--stages", "500ms:8,500ms:8,200ms:0",
                                  "--output-tokens", "4", "-o", folder / "out"})));
  std::map<Phase, std::uint64_t> phases;
  for (const auto& record : records_in(folder / "out")) ++phases[record.phase];
  CHECK(phases[Phase::ramp] > 0);
  const json point = first_point_in(folder / "out");
  CHECK(point["ramp_requests"] == phases[Phase::ramp]);
  CHECK(point["requests"] == phases[Phase::measured]);
}

TEST_CASE("targets: both are in flight all the time and the slower one is told with an interval") {
  TemporaryFolder folder;
  SimulatorProcess one({"fixed:ttft=20ms,itl=4ms"}), slow({"fixed:ttft=60ms,itl=4ms"});
  CHECK(measured(infermeter_once({"run", "one=" + one.url(), "slow=" + slow.url(), "-c", "2", "-d", "6s",
                                  "--output-tokens", "8", "-o", folder / "out"})));
  const json result = result_in(folder / "out");
  bool told = false;
  for (const auto& difference : result["differences"]) {
    if (difference["metric"] != "ttft" || difference["statistic"] != "p50") continue;
    told = true;
    CHECK(difference["low"].get<double>() > 0);
    CHECK_FALSE(difference["within_noise"].get<bool>());
  }
  CHECK(told);
  const auto records = records_in(folder / "out");
  const auto spans = spans_of_targets(records);
  REQUIRE(spans.size() == 2);
  std::array<std::size_t, 2> all{}, beside_the_other{};
  for (const auto& record : records) {
    const TargetSpan& other = spans.at(1 - record.target);
    ++all.at(record.target);
    if (*record.started_us > other.first_start_us && *record.end_us < other.last_end_us)
      ++beside_the_other.at(record.target);
  }
  for (const std::size_t target : {0, 1}) CHECK(2 * beside_the_other.at(target) > all.at(target));
}

TEST_CASE("targets: alternating blocks never overlap and go back and forth") {
  TemporaryFolder folder;
  SimulatorProcess one({kFast}), two({kFast});
  CHECK(measured(infermeter_once({"run", "a=" + one.url(), "b=" + two.url(), "--alternate", "-c", "2", "-n",
                                  "60", "--output-tokens", "4", "-o", folder / "out"})));
  auto records = records_in(folder / "out");
  std::ranges::sort(records, {}, [](const auto& r) { return *r.started_us; });
  std::string order;
  std::int64_t last_end[2] = {0, 0};
  for (const auto& record : records) {
    const char name = record.target == 0 ? 'a' : 'b';
    if (order.empty() || order.back() != name) order += name;
    CHECK(*record.started_us >= last_end[1 - record.target]);
    last_end[record.target] = std::max(last_end[record.target], *record.end_us);
  }
  CHECK(order == "abababa");  // a b b a a b b a a b b a
  const auto of_first = std::ranges::count_if(
      records, [](const auto& r) { return r.target == 0 && r.phase == Phase::measured; });
  CHECK(of_first == 60);
}

TEST_CASE("mix: classes run together in their shares, a probe beside them, each shown apart") {
  TemporaryFolder folder;
  write_text(
      folder / "mix.toml",
      "concurrency = 4\nrequests = 100\n[[class]]\nname = \"short\"\nshare = 3\ninput-tokens = 20\n"
      "output-tokens = 2\n[[class]]\nname = \"long\"\nshare = 1\ninput-tokens = 60\noutput-tokens = 8\n"
      "slo = [\"ttft<10s\"]\n[[class]]\nname = \"probe\"\nprobe = true\ninput-tokens = 10\n"
      "output-tokens = 1\n");
  CHECK(measured(infermeter_once(
      {"run", "--sim", kFast, "--config", folder / "mix.toml", "--warmup", "0", "-o", folder / "out"})));
  std::map<std::uint32_t, int> counts;
  for (const auto& record : records_in(folder / "out")) ++counts[record.traffic_class];
  CHECK(counts[0] == 75);
  CHECK(counts[1] == 25);
  CHECK(counts[2] > 0);
  std::set<std::string> names;
  const json result = result_in(folder / "out");
  for (const auto& slice : result["points"][0]["slices"])
    if (slice["by"] == "class") names.insert(slice["name"]);
  CHECK(names == std::set<std::string>{"short", "long", "probe"});
}

TEST_CASE("cancel: the server sees the hang-up, and no connection is left behind") {
  TemporaryFolder folder;
  SimulatorProcess simulator({"fixed:ttft=5ms,itl=5ms", "--truth", folder / "truth.jsonl"});
  CHECK(measured(
      infermeter_once({"run", simulator.url(), "-c", "16", "-n", "400", "--warmup", "0", "--no-calibrate",
                       "--output-tokens", "4000", "--cancel-after", "100ms", "-o", folder / "out"})));
  std::uint64_t cancelled = 0, with_tokens = 0;
  for (const auto& record : records_in(folder / "out")) {
    cancelled += record.outcome == Outcome::cancelled ? 1 : 0;
    with_tokens += record.events > 0 ? 1 : 0;
  }
  CHECK(cancelled == 400);
  CHECK(with_tokens > 0);
  // A signal to the simulator may overtake the last hang-ups.
  CHECK(eventually([&] { return count_lines(folder / "truth.jsonl") >= 400; }));
  CHECK(simulator.stop().exit_code == 0);
  const auto joined = join_truth(folder / "out", folder / "truth.jsonl");
  CHECK(std::ranges::count_if(joined, [](const auto& one) { return one.served.end == "aborted"; }) == 400);
}

TEST_CASE("endpoints: each is measured as it streams") {
  for (const std::string endpoint : {"chat", "completions", "responses", "messages"}) {
    INFO(endpoint);
    TemporaryFolder folder;
    CHECK(measured(infermeter_once({"run", "--sim", kFast, "--endpoint", endpoint, "-n", "10", "--warmup",
                                    "0", "--output-tokens", "20", "-o", folder / "out"})));
    for (const auto& record : records_in(folder / "out")) {
      CHECK(record.outcome == Outcome::ok);
      CHECK(record.output_tokens == 20);
      CHECK(record.events >= 19);
      CHECK(record.prompt_tokens.value_or(0) == Approx(512).margin(11));
    }
  }
}

TEST_CASE("endpoints: embeddings have latency and vectors per second") {
  TemporaryFolder folder;
  const Finished run = infermeter_once(
      {"run", "--sim", kFast, "--endpoint", "embeddings", "-c", "4", "-n", "40", "-o", folder / "out"});
  CHECK(measured(run));
  const json point = first_point_in(folder / "out");
  CHECK(point["ok"] == 40);
  CHECK(point["throughput"]["item_throughput"].get<double>() > 0);
  CHECK(point["metrics"].contains("e2e"));
  CHECK_FALSE(point["metrics"].contains("ttft"));
}

TEST_CASE("endpoints: rerank has latency and documents per second") {
  TemporaryFolder folder;
  CHECK(measured(infermeter_once({"run", "--sim", kFast, "--endpoint", "rerank", "--batch-size", "8",
                                  "--input-tokens", "64", "-c", "4", "-n", "40", "-o", folder / "out"})));
  const json point = first_point_in(folder / "out"), throughput = point["throughput"];
  const auto records = records_in(folder / "out");
  CHECK(point["ok"] == 40);
  REQUIRE(throughput["steady"].is_object());
  CHECK(throughput["item_throughput"].get<double>() * throughput["steady"]["window_s"].get<double>() ==
        Approx(items_in_window(throughput, records)));
  CHECK(items_in_window(throughput, records) > 0);
  CHECK(point["metrics"].contains("e2e"));
  CHECK_FALSE(point["metrics"].contains("ttft"));
  for (const auto& record : records) {
    CHECK(record.items == 8);
    CHECK(record.prompt_tokens.value_or(0) == Approx(8 * 64).epsilon(0.1));
  }
}

TEST_CASE("limits: a target's tokens are counted over all points of a sweep") {
  TemporaryFolder folder;
  const Finished run =
      infermeter_once({"run", "--sim", kFast, "-c", "1,2,4", "-n", "30", "--input-tokens", "40",
                       "--output-tokens", "10", "--max-tokens-total", "2k", "-o", folder / "out"});
  CHECK(measured(run));
  std::int64_t used = 0;
  for (const auto& record : records_in(folder / "out")) used += *record.prompt_tokens + *record.output_tokens;
  CHECK(used <= 2000);
  CHECK(run.out.find("--max-tokens-total") != std::string::npos);
}

TEST_CASE("classes: each with a rate of its own are an open loop together") {
  TemporaryFolder folder;
  write_text(folder / "mix.toml",
             "duration = \"2s\"\nwarmup = \"200ms\"\noutput-tokens = 2\n[[class]]\nname = \"a\"\nrate = 20\n"
             "[[class]]\nname = \"b\"\nrate = 10\n");
  CHECK(measured(
      infermeter_once({"run", "--sim", kFast, "--config", folder / "mix.toml", "-o", folder / "out"})));
  const json point = first_point_in(folder / "out");
  CHECK(point["load"]["open_loop"] == true);
  CHECK(point["load"]["rate"] == 30);
  CHECK(point["load"]["scheduled_requests"] == point["requests"]);
}

TEST_CASE("rate limits: a wait is obeyed, a retry is counted") {
  TemporaryFolder folder;
  CHECK(
      measured(infermeter_once({"run", "--sim", kFast, "--fault", "429=0.05:20%", "--retries", "9", "-c", "4",
                                "-n", "60", "--warmup", "0", "--output-tokens", "4", "-o", folder / "out"})));
  const json point = first_point_in(folder / "out");
  CHECK(point["ok"] == 60);
  CHECK(point["retries"].get<int>() > 0);
}

TEST_CASE("scenarios: each is listed and prints a file that --config would take") {
  const Finished list = infermeter_once({"scenarios"});
  CHECK(list.exit_code == 0);
  for (const std::string name :
       {"chat", "voice", "ghost-text", "batch", "context-sweep", "prompt-cache", "agent", "reasoning"}) {
    INFO(name);
    CHECK(list.out.find(name) != std::string::npos);
    CHECK(infermeter_once({"run", "--sim", "--scenario", name, "--quick", "--dry-run"}).exit_code == 0);
  }
}
