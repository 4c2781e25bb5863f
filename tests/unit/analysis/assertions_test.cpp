#include "infermeter/analysis/assertions.hpp"

#include "answers.hpp"
#include "catch.hpp"
#include "infermeter/analysis/summarize.hpp"
#include "infermeter/analysis/thresholds.hpp"

using namespace infermeter;
using namespace infermeter::tests;

namespace {

using Sample = std::vector<RequestRecord>;

/// Ten a second without correlation: TTFT from 50 to 149 ms, equally often, in mixed order.
Sample varied_answers(int n, std::uint32_t point = 0, std::uint32_t target = 0) {
  Sample out;
  for (int i = 0; i < n; ++i) {
    out.push_back(answer(i * 100'000, 50'000 + 1'000 * ((i * 37) % 100), {10'000, 10'000}));
    out.back().point = point;
    out.back().target = target;
  }
  return out;
}

struct Run {
  RunResult result;
  Sample records;
  void add(const LoadPoint& load, const Sample& part) {
    result.points.push_back(summarize(load, part, {}));
    records.insert(records.end(), part.begin(), part.end());
  }
};

Run run_of(const Sample& records, const LoadPoint& load = closed(2)) {
  Run run;
  run.add(load, records);
  return run;
}

/// Two targets at two loads; the second target is failing.
Run sweep_of_targets() {
  Run run;
  run.result.targets.resize(2);
  run.result.targets[0].name = "a";
  run.result.targets[1].name = "b";
  for (const std::uint32_t point : {0U, 1U}) {
    for (const std::uint32_t target : {0U, 1U}) {
      auto part = varied_answers(40, point, target);
      if (target == 1) part[3].outcome = Outcome::truncated;
      run.add(closed(point == 0 ? 1 : 8), part);
    }
  }
  return run;
}

Verdict judge_all(const Run& run, const std::vector<const char*>& texts, bool by_point = false) {
  std::vector<Threshold> asserts;
  for (const auto* text : texts) asserts.push_back(parse_assertion("--assert", text));
  return judge_assertions(run.result, run.records, asserts, by_point);
}

Judgement judge_one(const Run& run, const char* text, bool by_point = false) {
  const auto verdict = judge_all(run, {text}, by_point);
  REQUIRE(verdict.judgements.size() == 1);
  return verdict.judgements.front();
}

Decision decision(const Run& run, const char* text, bool by_point = false) {
  INFO(text);
  return judge_one(run, text, by_point).decision;
}

bool has_note(const Verdict& verdict, std::string_view part) {
  return std::ranges::any_of(verdict.notes,
                             [&](const auto& note) { return note.find(part) != std::string::npos; });
}

}  // namespace

TEST_CASE("assertions: a percentile holds above its interval, is broken below it and is open within") {
  const auto run = run_of(varied_answers(400));
  const auto* p50 = run.result.points[0].find("ttft")->find(50);
  REQUIRE(p50->low);
  REQUIRE(p50->high);
  CHECK(*p50->low < 99.5);
  CHECK(*p50->high > 99.5);
  CHECK(decision(run, "ttft.p50 < 150ms") == Decision::pass);
  CHECK(decision(run, "ttft.p50 < 60ms") == Decision::fail);
  CHECK(decision(run, "ttft.p50 < 100ms") == Decision::undecided);
  CHECK(decision(run, "ttft.p50 > 60ms") == Decision::pass);
  CHECK(decision(run, "ttft.p50 > 150ms") == Decision::fail);
  CHECK(decision(run, "ttft.p50 > 100ms") == Decision::undecided);
}

TEST_CASE("assertions: an open one tells its interval and how many requests would settle it") {
  const auto one = judge_one(run_of(varied_answers(400)), "ttft.p50 < 100ms");
  CHECK(one.text == "ttft.p50 < 100ms");
  CHECK(one.by_interval);
  CHECK(one.unit == "ms");
  CHECK(one.value == Approx(99.5));
  CHECK(one.limit == 100);
  CHECK(one.reason.starts_with("Its 95 % interval, 9"));
  CHECK(one.reason.ends_with(" ms, contains the limit."));
  CHECK(one.needed == "more than 10,000 requests: the percentile is at the limit");
  CHECK(judge_one(run_of(varied_answers(400)), "ttft.p50 < 104ms").needed == "about 2,000 requests");
}

TEST_CASE("assertions: a run of 10,000 requests is not told that it takes more than 10,000") {
  const auto run = run_of(varied_answers(10'000));
  CHECK(judge_one(run, "ttft.p50 < 99.6ms").needed ==
        "more than 10 times these requests: the percentile is at the limit");
  CHECK(judge_one(run, "ttft.mean < 99.6ms").needed ==
        "more than 10 times these requests: the mean is at the limit");
}

TEST_CASE("assertions: without an upper bound nothing holds below, but a lower one can break it") {
  const auto run = run_of(varied_answers(60));  // p95 takes 72
  CHECK_FALSE(run.result.points[0].find("ttft")->find(95)->high);
  CHECK(decision(run, "ttft.p95 < 200ms") == Decision::undecided);
  CHECK(decision(run, "ttft.p95 < 60ms") == Decision::fail);
  CHECK(decision(run, "ttft.p95 > 60ms") == Decision::pass);
  const auto one = judge_one(run, "ttft.p95 < 200ms");
  CHECK(one.reason == "Too few requests for an upper bound.");
  CHECK(one.needed == "at least 80 requests");
  CHECK(judge_one(run, "ttft.p99.9 < 200ms").needed == "at least 4,000 requests");
}

TEST_CASE("assertions: too few for any interval is open, whatever the value") {
  const auto one = judge_one(run_of(varied_answers(5)), "ttft.p50 < 1s");
  CHECK(one.decision == Decision::undecided);
  CHECK(one.reason == "Too few requests for a 95 % interval.");
  CHECK(one.needed == "at least 50 requests");
  CHECK(decision(run_of(varied_answers(5)), "ttft.p50 < 1ms") == Decision::undecided);
}

TEST_CASE("assertions: 40 requests that are all above the limit break it, at any concurrency") {
  for (const std::uint32_t concurrency : {1U, 16U, 64U}) {
    const auto run = run_of(varied_answers(40), closed(concurrency));
    INFO(concurrency);
    CHECK(decision(run, "ttft.p50 < 1ms") == Decision::fail);
    CHECK(decision(run, "ttft.p50 < 1s") == Decision::undecided);
    CHECK(decision(run, "tps.p5 > 1000") == Decision::fail);
  }
}

TEST_CASE("assertions: under three rounds of the requests in flight nothing holds, and it says so") {
  const auto run = run_of(varied_answers(191), closed(64));
  const auto one = judge_one(run, "ttft.p50 < 500ms");
  CHECK(one.decision == Decision::undecided);
  CHECK(one.reason == "Too few requests for an upper bound.");
  CHECK(one.needed == "a run of at least 3 rounds (192 requests)");
  CHECK(judge_one(run, "ttft.p99 < 500ms").needed == "at least 400 requests");
  CHECK(decision(run_of(varied_answers(192), closed(64)), "ttft.p50 < 500ms") == Decision::pass);
}

TEST_CASE(
    "assertions: a p95 of 124 ms in rounds of 16 holds below 500 ms, though ranks have no upper bound") {
  auto records = varied_answers(400);
  for (std::size_t i = 0; i < records.size(); ++i) {
    const std::int64_t slow_round = i / 16 % 8 == 5 ? 85 : 0;  // 16 requests meet a busy engine together
    records[i] = answer(static_cast<std::int64_t>(i) * 10'000,
                        1'000 * (30 + slow_round + static_cast<std::int64_t>(i * 7 % 16)), {10'000, 10'000});
  }
  const auto run = run_of(records, closed(16));
  const auto* p95 = run.result.points[0].find("ttft")->find(95);
  REQUIRE(p95->high);
  CHECK(p95->value == Approx(124).margin(3));
  CHECK(decision(run, "ttft.p95 < 500ms") == Decision::pass);
  CHECK(decision(run, "ttft.p95 < 125ms") == Decision::undecided);
  CHECK(decision(run, "ttft.p95 < 30ms") == Decision::fail);
}

TEST_CASE("assertions: an open one above its limit tells how many requests would break it") {
  const auto one = judge_one(run_of(varied_answers(400)), "ttft.p50 < 95ms");
  CHECK(one.decision == Decision::undecided);
  CHECK(one.needed == "about 2,000 requests");
}

TEST_CASE("assertions: the slow side of a rate is its low end") {
  auto records = varied_answers(400);
  for (std::size_t i = 0; i < records.size(); ++i)
    records[i] = answer(static_cast<std::int64_t>(i) * 100'000, 50'000,
                        {10'000 + 100 * static_cast<std::uint32_t>((i * 37) % 100)});
  const auto run = run_of(records);
  CHECK(decision(run, "tps.p5 > 40") == Decision::pass);
  CHECK(decision(run, "tps.p5 > 70") == Decision::fail);
  CHECK(decision(run, "tps.p5 > 51.2") == Decision::undecided);
  CHECK(has_note(judge_all(run, {"tps.p95 > 40"}), "The slow end is tps.p5."));
}

TEST_CASE("assertions: --assert-point decides by the value and says so") {
  const auto run = run_of(varied_answers(400));
  CHECK(decision(run, "ttft.p50 < 100ms", true) == Decision::pass);
  CHECK(decision(run, "ttft.p50 < 99ms", true) == Decision::fail);
  CHECK_FALSE(judge_one(run, "ttft.p50 < 100ms", true).by_interval);
  CHECK(judge_one(run, "ttft.p50 < 100ms", true).high.has_value());
  CHECK(has_note(judge_all(run, {"ttft.p50 < 100ms"}, true), "--assert-point"));
}

TEST_CASE("assertions: a mean is decided by the interval of ten blocks") {
  const auto run = run_of(varied_answers(400));
  const auto one = judge_one(run, "ttft.mean < 105ms");
  CHECK(one.by_interval);
  CHECK(one.value == Approx(99.5));
  CHECK(*one.high - *one.value == Approx(2.262 * 28.9 / 20).margin(0.05));
  CHECK(one.decision == Decision::pass);
  CHECK(decision(run, "ttft.mean < 100ms") == Decision::undecided);
  CHECK(decision(run, "ttft.mean < 90ms") == Decision::fail);
  CHECK(decision(run_of(varied_answers(20)), "ttft.mean < 1s") == Decision::undecided);
}

TEST_CASE("assertions: blocks that differ widen a mean's interval") {
  auto records = varied_answers(400);
  for (std::size_t i = 0; i < 200; ++i) *records[i].first_token_us += 100'000;
  const auto apart = judge_one(run_of(records), "ttft.mean < 1s");
  CHECK_FALSE(apart.high);
  CHECK(apart.decision == Decision::undecided);
}

TEST_CASE("assertions: a pooled mean has the interval of its ratio") {
  const auto one = judge_one(run_of(varied_answers(400)), "tps.mean > 99");
  CHECK(one.value == Approx(100));
  CHECK(one.low == Approx(100));
  CHECK(one.decision == Decision::pass);
}

TEST_CASE("assertions: any percentile is made of the records, with its interval") {
  const auto run = run_of(varied_answers(400));
  const auto one = judge_one(run, "ttft.p75 < 130ms");
  CHECK(one.value == Approx(124.25).margin(0.6));
  CHECK(one.low.has_value());
  CHECK(one.high.has_value());
  CHECK(one.decision == Decision::pass);
  CHECK(judge_one(run, "itl.p75 < 130ms").value == Approx(10));
}

TEST_CASE("assertions: shares, rates, counts and extremes are facts of the run") {
  auto records = varied_answers(100);
  records[40].outcome = Outcome::truncated;
  const auto run = run_of(records);
  const auto errors = judge_one(run, "error_rate < 2%");
  CHECK(errors.decision == Decision::pass);
  CHECK_FALSE(errors.by_interval);
  CHECK(errors.unit == "share");
  CHECK(*errors.low < 0.01);
  CHECK(*errors.high > 0.04);
  CHECK(decision(run, "error_rate < 1%") == Decision::fail);
  CHECK(decision(run, "ok >= 99") == Decision::pass);
  CHECK(decision(run, "ttft.max < 149ms") == Decision::fail);
  CHECK(decision(run, "request_throughput > 1") == Decision::pass);
  const auto output = judge_one(run, "output_throughput > 1");
  CHECK(output.decision == Decision::pass);
  CHECK(*output.low < *output.value);
}

TEST_CASE("assertions: goodput is held against the throughput of all") {
  auto load = closed(2);
  load.classes.resize(1);
  load.classes[0].slos = {parse_slo("--slo", "ttft<140ms")};
  const auto run = run_of(varied_answers(400), load);
  const auto one = judge_one(run, "goodput >= 0.8 * request_throughput");
  CHECK(one.decision == Decision::pass);
  CHECK(one.reason.starts_with("request_throughput is "));
  CHECK(*one.limit == Approx(0.8 * run.result.points[0].steady->request));
  CHECK(*one.high > *one.value);
  CHECK(decision(run, "goodput >= request_throughput * 99%") == Decision::fail);
  CHECK(decision(run, "ttft.p95 < 2 * ttft.p50") == Decision::pass);
  CHECK(decision(run, "slo_attainment > 80%") == Decision::pass);
}

TEST_CASE("assertions: every rate has its interval beside it") {
  auto records = varied_answers(400);
  for (std::size_t i = 0; i < records.size(); ++i) {
    records[i].prompt_tokens = 100 + static_cast<std::int64_t>(i % 7);
    records[i].items = 2;
  }
  auto run = run_of(records);
  run.result.points[0].output_per_gpu = run.result.points[0].steady->output / 4;
  run.result.points[0].cost = Cost{.total = 1, .per_1k = 2.5, .source = "per_hour"};
  for (const auto* text :
       {"request_throughput > 1", "input_throughput > 1", "output_throughput > 1", "total_throughput > 1",
        "item_throughput > 1", "output_per_gpu > 1", "cost_per_1k < 100"}) {
    INFO(text);
    const auto one = judge_one(run, text);
    CHECK(one.decision == Decision::pass);
    CHECK_FALSE(one.by_interval);
    REQUIRE(one.low);
    REQUIRE(one.high);
    CHECK(*one.low < *one.value);
    CHECK(*one.high > *one.value);
    CHECK(*one.low > 0.9 * *one.value);
  }
}

TEST_CASE("assertions: a cost by tokens is counted and has no interval") {
  auto run = run_of(varied_answers(400));
  run.result.points[0].cost = Cost{.total = 1, .per_1k = 2.5, .source = "prices"};
  CHECK_FALSE(judge_one(run, "cost_per_1k < 100").low);
}

TEST_CASE("assertions: without a steady window a rate's interval is that of the whole run") {
  const auto run = run_of(varied_answers(100), closed(80));
  REQUIRE_FALSE(run.result.points[0].steady);
  const auto one = judge_one(run, "request_throughput > 1");
  CHECK(*one.low > 8.5);
  CHECK(*one.low < *one.value);
}

TEST_CASE("assertions: the output throughput of a class has an interval") {
  auto load = closed(2);
  load.classes.resize(2);
  load.classes[0].name = "chat";
  load.classes[1].name = "batch";
  auto records = varied_answers(400);
  for (std::size_t i = 0; i < records.size(); i += 2) records[i].traffic_class = 1;
  const auto one = judge_one(run_of(records, load), "[class=chat] output_throughput > 1");
  REQUIRE(one.low);
  CHECK(*one.low < *one.value);
  CHECK(*one.low > 0.9 * *one.value);
}

TEST_CASE("assertions: a figure that is not there is open, with the reason") {
  auto records = varied_answers(40);
  for (auto& record : records) record.output_tokens = 9;  // over three events: tokens per event unknown
  const auto run = run_of(records);
  REQUIRE_FALSE(run.result.points[0].find("itl"));
  const auto itl = judge_one(run, "itl.p50 < 30ms");
  CHECK(itl.decision == Decision::undecided);
  CHECK_FALSE(itl.value);
  CHECK(itl.reason.find("icl") != std::string::npos);
  CHECK(itl.reason.find("tpot") != std::string::npos);
  CHECK(judge_one(run, "goodput > 1").reason == "No --slo says what a good request is.");
  CHECK(judge_one(run, "cost < 1").reason.starts_with("No price is known"));
  CHECK(judge_one(run, "server_queue.p95 < 1s").reason == "The server does not report this time.");
  CHECK(judge_one(run, "request_throughput > goodput").reason == "No --slo says what a good request is.");
  CHECK(decision(run_of({failed(0, Outcome::truncated)}), "ttft.p50 < 1s") == Decision::undecided);
}

TEST_CASE("assertions: every point and target in scope has its own judgement, the broken ones first") {
  const auto run = sweep_of_targets();
  const auto verdict = judge_all(run, {"error_rate < 1%"});
  REQUIRE(verdict.judgements.size() == 4);
  CHECK(verdict.judgements[0].where == "b, concurrency 1");
  CHECK(verdict.judgements[1].where == "b, concurrency 8");
  CHECK(verdict.judgements[2].where == "a, concurrency 1");
  CHECK(verdict.judgements[0].decision == Decision::fail);
  CHECK(verdict.judgements[2].decision == Decision::pass);
  CHECK(verdict.judgements[1].point == 1U);
  CHECK(verdict.judgements[1].target == 1U);
}

TEST_CASE("assertions: a scope leaves out the points that it does not name") {
  const auto run = sweep_of_targets();
  const auto verdict =
      judge_all(run, {"[target=a] error_rate < 1%", "error_rate < 1% [target=b, concurrency=8]"});
  REQUIRE(verdict.judgements.size() == 3);
  CHECK(verdict.judgements[0].where == "b, concurrency 8");
  CHECK(judge_one(run, "[concurrency=9] ok > 1").reason == "No point has concurrency 9; there is 1, 8.");
  CHECK(judge_one(run, "[shape=1k/128] ok > 1").reason == "No point of this run has a shape.");
  CHECK(decision(run, "[concurrency=9] ok > 1") == Decision::undecided);
}

TEST_CASE("assertions: a target with a label is found by its label and by its name") {
  auto run = sweep_of_targets();
  run.result.targets[0].label = "A (eu)";
  CHECK(judge_all(run, {"[target=a] error_rate < 1%"}).judgements.size() == 2);
  CHECK(judge_all(run, {"[target=A (eu)] error_rate < 1%"}).judgements.size() == 2);
}

TEST_CASE("assertions: a class is judged by its own requests") {
  auto load = closed(2);
  load.classes.resize(2);
  load.classes[0].name = "chat";
  load.classes[1].name = "batch";
  auto records = varied_answers(400);
  for (std::size_t i = 0; i < records.size(); i += 2) {
    records[i].traffic_class = 1;
    *records[i].first_token_us += 1'000'000;
    *records[i].last_token_us += 1'000'000;
    *records[i].end_us += 1'000'000;
  }
  const auto run = run_of(records, load);
  CHECK(decision(run, "ttft.p95 < 500ms") == Decision::fail);
  const auto one = judge_one(run, "[class=chat] ttft.p90 < 500ms");
  CHECK(one.decision == Decision::pass);
  CHECK(one.where == "class chat");
  CHECK(judge_one(run, "[class=chat] requests > 1").value == 200);
  CHECK(judge_one(run, "[class=batch] ttft.p75 > 1s").decision == Decision::pass);
}

TEST_CASE("assertions: in open loop ttft is answered by a note on the wait") {
  const auto run = run_of(varied_answers(100), open(10));
  CHECK(has_note(judge_all(run, {"ttft.p95 < 1s"}), "ttft_response.p95 includes the schedule delay"));
  CHECK(judge_all(run, {"ttft_response.p95 < 1s"}).notes.empty());
  CHECK(judge_all(run_of(varied_answers(100)), {"ttft.p95 < 1s"}).notes.empty());
}

TEST_CASE("assertions: the exit code is the first of 4, 1, 5 and 0 that holds") {
  auto run = run_of(varied_answers(400));
  CHECK(judge_all(run, {"ok > 1"}).exit_code == 0);
  CHECK(judge_all(run, {"ok > 1", "ttft.p50 < 100ms"}).exit_code == 5);
  CHECK(judge_all(run, {"ok > 1", "ttft.p50 < 100ms", "ok > 1k"}).exit_code == 1);
  CHECK(judge_all(run, {"ok > 1", "ttft.p50 < 100ms", "ok > 1k"}).decision == Decision::fail);
  run.result.points[0].validity.trustworthy = false;
  const auto verdict = judge_all(run, {"ok > 1k"});
  CHECK(verdict.exit_code == 4);
  CHECK_FALSE(verdict.trustworthy);
  CHECK(verdict.decision == Decision::fail);
  CHECK(has_note(verdict, "not to be trusted"));
}

TEST_CASE("assertions: what was cut short is judged all the same, and said") {
  auto run = run_of(varied_answers(100));
  run.result.points[0].validity.partial = true;
  CHECK(judge_all(run, {"ok > 1"}).decision == Decision::pass);
  CHECK(has_note(judge_all(run, {"ok > 1"}), "is partial: judged by the requests that finished"));
}

TEST_CASE("assertions: no rate of a run with under three requests a slot is judged, and the number is said") {
  const auto one = judge_one(run_of(varied_answers(80), closed(48)), "output_throughput >= 1700");
  CHECK(one.decision == Decision::undecided);
  CHECK(one.reason == "There is no steady rate: 80 requests, and it takes 3 for each of 48 in flight.");
  CHECK(one.needed == "144 requests (-n 3x)");
  CHECK(decision(run_of(varied_answers(144), closed(48)), "output_throughput >= 1700") == Decision::fail);
  CHECK(decision(run_of(varied_answers(80), closed(48)), "error_rate < 1%") == Decision::pass);
}

TEST_CASE("assertions: one that uncertain arrivals may have decided is not trusted") {
  auto records = varied_answers(200);
  for (auto& r : records) r.early_us.emplace();
  for (std::size_t i = 0; i < records.size(); i += 50) records[i].early_us->push_back({0, 49'000});
  const auto run = run_of(records);
  REQUIRE(run.result.points.front().validity.trustworthy);  // p50 and p95 are hardly moved
  const auto near = judge_all(run, {"ttft.min > 49ms"});
  CHECK_FALSE(near.trustworthy);
  CHECK(near.notes.back().find("TTFT min 50.0 ms may be up to 49 ms less; limit 1.00 ms") !=
        std::string::npos);
  CHECK(judge_all(run, {"ttft.min < 60ms"}).trustworthy);  // less would hold too
  CHECK(judge_all(run, {"ttft.max < 300ms"}).trustworthy);
}
