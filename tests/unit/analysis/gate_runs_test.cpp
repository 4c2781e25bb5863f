#include <cmath>
#include <vector>

#include "answers.hpp"
#include "catch.hpp"
#include "gate_rules.hpp"
#include "infermeter/analysis/assertions.hpp"
#include "infermeter/analysis/compare.hpp"
#include "infermeter/analysis/gate.hpp"
#include "infermeter/analysis/summarize.hpp"
#include "infermeter/analysis/thresholds.hpp"
#include "infermeter/base/errors.hpp"
#include "simulated_pairs.hpp"

using namespace infermeter;
using namespace infermeter::tests;
using bench::point_with;

namespace {

RunResult result_of(std::initializer_list<double> ttfts) {
  RunResult result;
  result.tool_version = "1.2.0";
  result.run_id = "run";
  result.start_utc = "2026-11-29T12:15:01Z";
  result.environment.hostname_hash = "ab12";
  result.workload.source = "synthetic";
  result.workload.input_tokens = "512";
  result.targets.push_back({.name = "", .url = "http://localhost:8000", .model = "llama"});
  for (const double ttft : ttfts) {
    result.points.push_back(point_with({.ttft_p50 = ttft}));
    result.points.back().load.run = static_cast<std::uint32_t>(result.points.size());
  }
  return result;
}

/// `count` results of one run each, ten minutes apart, alternating with those of the other side.
std::vector<RunResult> in_turn(const std::vector<double>& ttfts, int first_minute) {
  std::vector<RunResult> out;
  for (std::size_t i = 0; i < ttfts.size(); ++i) {
    out.push_back(result_of({ttfts[i]}));
    const auto minute = static_cast<std::size_t>(first_minute) + 20 * i;
    const auto two = [](std::size_t value) { return (value < 10 ? "0" : "") + std::to_string(value); };
    out.back().start_utc = "2026-11-29T" + two(10 + minute / 60) + ":" + two(minute % 60) + ":00Z";
    out.back().run_id = (first_minute == 0 ? "b" : "c") + std::to_string(i + 1);
  }
  return out;
}

Verdict judge(const RunResult& baseline, const RunResult& candidate, const GateRule& rule = kOnlyTtft) {
  return judge_runs(rule, std::vector{baseline}, std::vector{candidate});
}

std::string message_of(const RunResult& baseline, const RunResult& candidate,
                       const GateRule& rule = kOnlyTtft) {
  try {
    judge(baseline, candidate, rule);
  } catch (const UsageError& error) {
    return std::string(error.what()) + "\n" + error.advice();
  }
  return {};
}

const Judgement& ttft_of(const Verdict& verdict) {
  for (const auto& line : verdict.judgements) {
    if (line.text == "ttft.p50") return line;
  }
  FAIL("no line of ttft.p50");
  return verdict.judgements.front();
}

/// Four streams of one server (TTFT 5 ms, ITL 2 ms), answers of very different lengths: median 40 tokens,
/// sigma 1.3. The first one of each stream is the warm-up.
std::vector<RequestRecord> uneven_records(std::uint64_t seed) {
  Random random(seed);
  std::array<std::int64_t, 4> free_at{};
  std::vector<RequestRecord> out;
  for (int i = 0; i < 44; ++i) {
    auto& at = *std::ranges::min_element(free_at);
    const auto tokens =
        static_cast<std::size_t>(std::max(2.0, std::round(40 * std::exp(1.3 * random.normal()))));
    out.push_back(tests::answer(at, 5'000, std::vector<std::uint32_t>(tokens - 1, 2'000)));
    if (i < 4) out.back().phase = Phase::warmup;
    at = *out.back().end_us;
  }
  return out;
}

RunResult uneven_run(const std::vector<RequestRecord>& records) {
  auto result = result_of({});
  result.points.push_back(summarize(tests::closed(4), records, {}));
  return result;
}

void mark_untrustworthy(PointResult& point) { point.validity.trustworthy = false; }

}  // namespace

TEST_CASE("gate: saved runs of equal servers pass") {
  const auto verdict = judge(result_of({400, 404, 396, 402, 398}), result_of({401, 399, 405, 397, 400}));
  CHECK(verdict.decision == Decision::pass);
  CHECK(verdict.exit_code == 0);
  CHECK(verdict.basis == Basis::runs);
  CHECK(verdict.ended == "5 runs of the baseline, 5 runs of the candidate");
  CHECK(verdict.units.size() == 5);
  CHECK(ttft_of(verdict).where.empty());
  CHECK(*ttft_of(verdict).limit == Approx(0.15));
}

TEST_CASE("gate: saved runs fail only beyond the session's own effect") {
  const auto baseline = result_of({400, 404, 396, 402, 398});
  CHECK(judge(baseline, result_of({480, 484, 476, 482, 478})).decision == Decision::fail);
  const auto between = judge(baseline, result_of({448, 452, 444, 450, 446}));
  CHECK(between.decision == Decision::undecided);
  CHECK(between.exit_code == 5);
  CHECK(ttft_of(between).reason ==
        "Significantly beyond +5.0 %, but one server can differ by so much between two sessions: only beyond "
        "+15.0 % "
        "is a failure.");
  CHECK(ttft_of(between).needed == "pairs measured in turn");
}

TEST_CASE("gate: saved runs that vary tell how many would do") {
  const auto verdict = judge(result_of({400, 440, 360}), result_of({400, 436, 364}));
  CHECK(verdict.decision == Decision::undecided);
  CHECK(ttft_of(verdict).needed == "about 16 runs a side, or pairs measured in turn");
}

TEST_CASE("gate: one saved run of a side is refused with the command that would do") {
  const auto message = message_of(result_of({400}), result_of({400, 410}));
  CHECK(message.starts_with("gate: 1 of the baseline and 2 of the candidate at concurrency 8: a single run"));
  CHECK(message.find("--runs 5 --out baseline") != std::string::npos);
}

TEST_CASE("gate: single runs are a guard against catastrophes by their own intervals") {
  GateRule rule = kOnlyTtft;
  rule.metrics.front().least = 0.20;
  auto baseline = result_of({400}), candidate = result_of({600});
  for (auto* run : {&baseline, &candidate}) {
    auto& p50 = run->points.front().metrics.front().percentiles.front();
    p50.low = 0.9 * p50.value;
    p50.high = 1.1 * p50.value;
  }
  const auto worse = judge(baseline, candidate, rule);
  CHECK(worse.decision == Decision::fail);
  CHECK(*ttft_of(worse).value == Approx(0.5));
  CHECK(*ttft_of(worse).low == Approx(std::expm1(std::log(1.5) - std::hypot(std::log(0.9), std::log(1.1)))));
  CHECK(judge(baseline, baseline, rule).decision == Decision::pass);
  auto& high = candidate.points.front().metrics.front().percentiles.front().high;
  high.reset();
  candidate.points.front().metrics.front().percentiles.front().low = 420;
  CHECK(judge(baseline, candidate, rule).decision == Decision::undecided);
}

TEST_CASE("gate: two saved runs of one server with uneven answers do not fail by their request throughput") {
  const GateRule rule{
      .metrics = {{.metric = "request_throughput", .statistic = "", .least = 0.20, .most = 0.30}}};
  std::vector<RunResult> runs;
  for (std::uint64_t seed = 1; seed <= 8; ++seed) runs.push_back(uneven_run(uneven_records(seed)));
  double most = 0;
  for (const auto& baseline : runs) {
    for (const auto& candidate : runs) {
      if (&baseline == &candidate) continue;
      const auto verdict = judge(baseline, candidate, rule);
      CHECK(verdict.decision != Decision::fail);
      most = std::max(most, std::abs(verdict.judgements.back().value.value_or(0)));
    }
  }
  CHECK(most > 0.2);  // they really differ by more than the limit
}

TEST_CASE("gate: two saved runs have the interval that compare shows") {
  const auto a = uneven_records(1), b = uneven_records(2);
  const auto baseline = uneven_run(a), candidate = uneven_run(b);
  const GateRule rule{
      .metrics = {{.metric = "request_throughput", .statistic = "", .least = 0.20, .most = 0.30}}};
  const auto verdict = judge(baseline, candidate, rule);
  const auto line = std::ranges::find(verdict.judgements, "request_throughput", &Judgement::text);
  REQUIRE(line != verdict.judgements.end());
  const NamedResult named[]{{.name = "a", .source = {}, .run = &baseline, .records = a},
                            {.name = "b", .source = {}, .run = &candidate, .records = b}};
  const auto compared = compare_results(named);
  const auto& rows = compared.points.at(0).rows;
  const auto row = std::ranges::find(rows, "request_throughput", &ComparedRow::metric);
  REQUIRE(row != rows.end());
  CHECK(row->cells[1].change == line->value);
  REQUIRE(row->cells[1].change_low.has_value() == line->low.has_value());
  if (line->low) CHECK(*row->cells[1].change_low == Approx(*line->low));
  if (line->high) CHECK(*row->cells[1].change_high == Approx(*line->high));
}

TEST_CASE("assertions: a mean has the interval that compare shows") {
  const auto records = tests::closed_loop(4, 40);
  auto run = result_of({});
  run.points.push_back(summarize(tests::closed(4), records, {}));
  const auto verdict =
      judge_assertions(run, records, std::vector{parse_assertion("--assert", "ttft.mean < 60ms")}, false);
  const NamedResult named[]{{.name = "a", .source = {}, .run = &run, .records = records},
                            {.name = "b", .source = {}, .run = &run, .records = records}};
  const auto compared = compare_results(named);
  const auto& rows = compared.points.at(0).rows;
  const auto row = std::ranges::find_if(
      rows, [](const ComparedRow& r) { return r.metric == "ttft" && r.statistic == "mean"; });
  REQUIRE(row != rows.end());
  REQUIRE(verdict.judgements.at(0).low);
  CHECK(row->cells[0].low == verdict.judgements[0].low);
  CHECK(row->cells[0].high == verdict.judgements[0].high);
}

TEST_CASE("gate: runs measured in turn are judged as pairs") {
  const auto baseline = in_turn({400, 401, 399, 402, 400, 398}, 0);
  const auto candidate = in_turn({448, 452, 444, 450, 446, 449}, 10);
  const auto verdict = judge_runs(kOnlyTtft, baseline, candidate);
  CHECK(verdict.decision == Decision::fail);  // 12 %: above the minimum effect, but below a session's own
  CHECK(*ttft_of(verdict).limit == Approx(0.05));
  CHECK(verdict.notes ==
        std::vector<std::string>{"The runs were measured in turn: they are judged as pairs."});
}

TEST_CASE("gate: a night between two runs makes them two sessions") {
  const auto baseline = in_turn({400, 401, 399, 402, 400, 398}, 0);
  auto candidate = in_turn({448, 452, 444, 450, 446, 449}, 10);
  candidate.back().start_utc = "2026-11-30T11:50:00Z";
  CHECK(judge_runs(kOnlyTtft, baseline, candidate).decision == Decision::undecided);
}

TEST_CASE("gate: each load point of a sweep is judged, others are named") {
  auto baseline = result_of({400, 402, 500, 502}), candidate = result_of({400, 401, 700, 702, 900, 901});
  for (auto* run : {&baseline, &candidate}) {
    for (std::size_t i = 2; i < run->points.size(); ++i) run->points[i].load.concurrency = i < 4 ? 16 : 32;
    for (std::size_t i = 0; i < run->points.size(); ++i)
      run->points[i].load.run = static_cast<std::uint32_t>(i % 2 + 1);
  }
  const auto verdict = judge(baseline, candidate);
  CHECK(verdict.decision == Decision::fail);
  CHECK(verdict.judgements.front().where == "concurrency 16");
  CHECK(verdict.units.front().changes.front().first == "ttft.p50 at concurrency 8");
  CHECK(verdict.notes.back() == "Only the candidate was measured at concurrency 32: not judged.");
}

TEST_CASE("gate: untrustworthy saved runs are set aside, and too few left are not to be trusted") {
  auto baseline = result_of({400, 402, 401}), candidate = result_of({400, 401, 399});
  mark_untrustworthy(baseline.points[1]);
  const auto one = judge(baseline, candidate);
  CHECK(one.trustworthy);
  CHECK(one.decision == Decision::pass);
  CHECK(one.notes.front() == "Run 2 of the baseline is set aside: not to be trusted");
  mark_untrustworthy(baseline.points[2]);
  const auto too_few = judge(baseline, candidate);
  CHECK(too_few.exit_code == 4);
  CHECK(*ttft_of(too_few).limit == Approx(0.15));  // the limit if there were enough pairs
}

TEST_CASE("gate: runs that differ in kind are refused with what differs, unless forced") {
  auto baseline = result_of({400, 401, 402}), candidate = baseline;
  candidate.run_id = "other";
  candidate.workload.input_tokens = "1k";
  CHECK(message_of(baseline, candidate) ==
        "gate: run and other are not the same kind of run\nThe prompt length differs: 512 against 1k.\n"
        "--force compares them anyway.");
  GateRule rule = kOnlyTtft;
  rule.forced = true;
  const auto verdict = judge(baseline, candidate, rule);
  CHECK(verdict.decision == Decision::pass);
  CHECK(verdict.notes.front() == "Forced, run and other: The prompt length differs: 512 against 1k.");
}

TEST_CASE("gate: a gate's own result one of several targets and a shard are no side") {
  auto gate = result_of({400, 401}), many = gate;
  gate.target_order = TargetOrder::pairs;
  many.targets.push_back(many.targets.front());
  CHECK(message_of(gate, gate).starts_with("gate: run is a gate's own result"));
  CHECK(message_of(result_of({400, 401}), many).starts_with("gate: run has 2 targets"));
  auto shard = result_of({400, 401});
  shard.shard = {.rank = 1, .of = 4};
  CHECK(message_of(shard, shard).starts_with("gate: run is one shard of 4"));
}

TEST_CASE("comparable: equal runs with other nonces, calibration and minor versions are of one kind") {
  auto one = result_of({400, 401}), other = one;
  other.tool_version = "1.3.1";
  other.workload.nonce = "four other short words";
  other.workload.calibration = "1.31 tokens a word";
  other.points.front().load.nonce = "w";
  other.points.front().load.seed = 2;
  CHECK(differences_of_kind(one, other).empty());
  CHECK(differences_of_surroundings(one, other).empty());
}

TEST_CASE("comparable: each difference of kind is named") {
  const auto one = result_of({400});
  const auto said = [&](auto change) {
    auto other = one;
    change(other);
    const auto sentences = differences_of_kind(one, other);
    return sentences.size() == 1 ? sentences.front() : std::to_string(sentences.size());
  };
  CHECK(said([](auto& r) { r.tool_version = "2.0.0"; }) ==
        "The major version of infermeter differs: 1 against 2.");
  CHECK(said([](auto& r) { r.workload.source = "chat.jsonl"; }) ==
        "The workload differs: synthetic against chat.jsonl.");
  CHECK(said([](auto& r) { r.workload.output_tokens = "128"; }) ==
        "The answer length differs: none against 128.");
  CHECK(said([](auto& r) { r.workload.exact_output = true; }) ==
        "The forced answer length differs: no against yes.");
  CHECK(said([](auto& r) { r.points[0].load.requests = 500; }) ==
        "The number of requests at concurrency 8 differs: 300 against 500.");
  CHECK(said([](auto& r) { r.points[0].load.duration_s = 60; }) ==
        "The duration at concurrency 8 differs: none against 60 s.");
  CHECK(said([](auto& r) { r.points[0].load.concurrency = 9; }) == "They have no load point in common.");
  CHECK(said([](auto& r) { r.points[0].token_source = TokenSource::events; }) ==
        "The source of token counts at concurrency 8 differs: usage against events.");
  CHECK(said([](auto& r) { r.points[0].load.schedule_hash = "0123"; }) ==
        "The open-loop schedule at concurrency 8 differs: none against 0123.");
}

TEST_CASE("comparable: what makes requests other ones is named by its option") {
  auto one = result_of({400}), other = one;
  one.workload_hash = "aa";
  one.workload.options = {{"turns", "3"}, {"think-time", "2s"}};
  other.workload_hash = "bb";
  other.workload.options = {{"shared-prefix-tokens", "3800"}, {"turns", "4"}, {"think-time", "2s"}};
  other.targets.front().endpoint = one.targets.front().endpoint = "chat";
  CHECK(differences_of_kind(one, other) ==
        std::vector<std::string>{"The option --turns differs: 3 against 4.",
                                 "The option --shared-prefix-tokens differs: none against 3800."});
  other.targets.front().endpoint = "completions";
  CHECK(differences_of_kind(one, other).front() == "The endpoint differs: chat against completions.");
}

TEST_CASE("comparable: requests that only their hash tells apart are not of one kind") {
  auto one = result_of({400}), other = one;
  one.workload_hash = "aa";
  other.workload_hash = "bb";
  other.points.front().load.requests = 500;
  CHECK(differences_of_kind(one, other) ==
        std::vector<std::string>{"The requests differ in an option that is not listed: compare the command "
                                 "lines in both result.json.",
                                 "The number of requests at concurrency 8 differs: 300 against 500."});
  other.workload.input_tokens = "1k";
  CHECK(differences_of_kind(one, other).front() == "The prompt length differs: 512 against 1k.");
}

TEST_CASE("comparable: a result of before options were kept differs in none of them") {
  const auto before = result_of({400});
  auto now = before;
  now.workload_hash = "aa";
  now.workload.options = {{"turns", "3"}};
  CHECK(differences_of_kind(before, now).empty());
}

TEST_CASE("comparable: what is counted in conversations is not called requests") {
  auto one = result_of({400});
  one.points[0].load.conversations = true;
  auto other = one;
  other.points[0].load.requests = 30;
  CHECK(differences_of_kind(one, other) ==
        std::vector<std::string>{"The number of conversations at concurrency 8 differs: 300 against 30."});
}

TEST_CASE("comparable: surroundings are told, not refused") {
  const auto one = result_of({400, 401});
  auto other = one;
  other.targets.front().version = "0.9.1";
  other.environment.cores = 64;
  CHECK(differences_of_kind(one, other).empty());
  CHECK(differences_of_surroundings(one, other) ==
        std::vector<std::string>{"The number of cores differs: 0 against 64.",
                                 "The server version differs: none against 0.9.1."});
}
