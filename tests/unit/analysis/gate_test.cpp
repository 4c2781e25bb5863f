#include "infermeter/analysis/gate.hpp"

#include <deque>

#include "analysis/gate/decision.hpp"
#include "analysis/statistics/pairs.hpp"
#include "catch.hpp"
#include "gate_rules.hpp"
#include "simulated_pairs.hpp"

using namespace infermeter;
using namespace infermeter::tests;
using bench::point_with;
using bench::RunFigures;

namespace {

/// Pairs whose members a test can modify.
struct Pairs {
  std::deque<PointResult> runs;
  std::vector<GatePair> pairs;
  void add(const RunFigures& baseline, const RunFigures& candidate) {
    const auto* of_baseline = &runs.emplace_back(point_with(baseline));
    pairs.push_back({of_baseline, &runs.emplace_back(point_with(candidate))});
  }
  PointResult& baseline(std::size_t i) { return runs[2 * i]; }
  PointResult& candidate(std::size_t i) { return runs[2 * i + 1]; }
};

/// One pair a ratio of TTFT p50.
Pairs ttft_pairs(const std::vector<double>& ratios) {
  Pairs out;
  for (const double ratio : ratios) out.add({.ttft_p50 = 400}, {.ttft_p50 = 400 * ratio});
  return out;
}

std::vector<double> ratios(std::size_t n, double middle, double step) {
  std::vector<double> out;
  for (std::size_t i = 0; i < n; ++i)
    out.push_back(middle + step * (static_cast<double>(i) - static_cast<double>(n - 1) / 2));
  return out;
}

const Judgement& line(const Verdict& verdict, std::string_view text) {
  for (const auto& judgement : verdict.judgements) {
    if (judgement.text == text) return judgement;
  }
  FAIL("no line " << text);
  return verdict.judgements.front();
}

void fail_requests(PointResult& run, std::uint64_t count) {
  run.ok -= count;
  run.outcomes.front().count -= count;
  run.outcomes.push_back({.outcome = Outcome::http_error, .status = 500, .count = count, .example = "oops"});
}

void distrust(PointResult& run) {
  run.validity.trustworthy = false;
  run.validity.checks = {{.kind = CheckKind::generator,
                          .state = CheckState::failed,
                          .evidence = "Only 90 % of the requests were sent in time.",
                          .advice = {}}};
}

void add_cache_slices(PointResult& run, std::uint64_t cold, std::uint64_t warm) {
  Slice slice;
  slice.by = SliceKind::cache;
  slice.name = "cold";
  slice.ok = cold;
  run.slices.push_back(slice);
  slice.name = "warm";
  slice.ok = warm;
  run.slices.push_back(slice);
}

}  // namespace

TEST_CASE("gate: two equal servers pass at the first look") {
  const auto verdict = judge_pairs(default_gate_rule(false), ttft_pairs(ratios(6, 1, 0.01)).pairs, false);
  CHECK(verdict.decision == Decision::pass);
  CHECK(verdict.exit_code == 0);
  CHECK(verdict.basis == Basis::pairs);
  CHECK(verdict.ended == "decided after 6 of at most 16 pairs");
  CHECK(verdict.judgements.size() == 5);  // four metrics and the error rate
  CHECK(verdict.units.size() == 6);
}

TEST_CASE("gate: six pairs that are all 20 % slower fail") {
  const auto verdict = judge_pairs(default_gate_rule(false), ttft_pairs(ratios(6, 1.2, 0.01)).pairs, false);
  CHECK(verdict.decision == Decision::fail);
  CHECK(verdict.exit_code == 1);
  const auto& ttft = verdict.judgements.front();
  CHECK(ttft.text == "ttft.p50");
  CHECK(ttft.kind == JudgementKind::change);
  CHECK(*ttft.value == Approx(0.2).margin(0.002));
  CHECK(*ttft.low == Approx(0.175).margin(1e-6));
  CHECK(*ttft.limit == Approx(0.05));
  CHECK(*ttft.baseline == 400);
  CHECK(*ttft.candidate == Approx(480));
  CHECK(ttft.unit == "ms");
  CHECK(ttft.relative);
  CHECK(ttft.by_interval);
}

TEST_CASE("gate: one of six pairs that is not beyond the limit keeps it from failing") {
  auto changes = ratios(5, 1.2, 0.01);
  changes.push_back(1.04);
  const auto verdict = judge_pairs(kOnlyTtft, ttft_pairs(changes).pairs, false);
  CHECK(verdict.decision == Decision::undecided);
  CHECK(line(verdict, "ttft.p50").reason ==
        "Neither significantly beyond +5.0 % nor significantly less than +10.0 %.");
}

TEST_CASE("gate: less throughput is worse and is told as less") {
  Pairs pairs;
  for (int i = 0; i < 6; ++i) pairs.add({.output_throughput = 1000}, {.output_throughput = 800.0 + i});
  const auto verdict = judge_pairs(default_gate_rule(false), pairs.pairs, false);
  CHECK(verdict.decision == Decision::fail);
  const auto& line = verdict.judgements.front();
  CHECK(line.text == "output_throughput");
  CHECK(*line.value == Approx(-0.1975).margin(0.001));
  CHECK(*line.low < *line.value);
  CHECK(*line.high > *line.value);
  CHECK(*line.high < *line.limit);
  CHECK(*line.limit == Approx(-0.047619));
  CHECK(line.unit == "tokens/s");
}

TEST_CASE("gate: more throughput and less TTFT pass") {
  Pairs pairs;
  for (int i = 0; i < 6; ++i) pairs.add({}, {.ttft_p50 = 200, .output_throughput = 2000});
  CHECK(judge_pairs(default_gate_rule(false), pairs.pairs, false).decision == Decision::pass);
}

TEST_CASE("gate: nothing is decided before the first look, nor between looks") {
  const auto five = judge_pairs(kOnlyTtft, ttft_pairs(ratios(5, 2, 0.01)).pairs, false);
  CHECK(five.decision == Decision::undecided);
  CHECK(five.ended == "5 pairs so far, next look after 6");
  CHECK(five.judgements.front().reason == "The next look is after 6 pairs.");
  const auto seven = judge_pairs(kOnlyTtft, ttft_pairs(ratios(7, 2, 0.01)).pairs, false);
  CHECK(seven.decision == Decision::undecided);
  CHECK(seven.judgements.front().reason == "The next look is after 8 pairs.");
  CHECK(seven.judgements.front().needed.empty());
}

TEST_CASE("gate: the end is a look whatever the number of pairs") {
  CHECK(judge_pairs(kOnlyTtft, ttft_pairs(ratios(7, 2, 0.01)).pairs, true).decision == Decision::fail);
  const auto five = judge_pairs(kOnlyTtft, ttft_pairs(ratios(5, 2, 0.01)).pairs, true);
  CHECK(five.decision == Decision::undecided);
  CHECK(five.exit_code == 5);
  CHECK(five.ended == "undecided after 5 pairs");
  CHECK(line(five, "ttft.p50").reason == "Too few pairs: nothing is decided under six.");
}

TEST_CASE("gate: the ranks are those of the method at every look") {
  struct Row {
    std::size_t pairs;
    std::uint64_t fail, pass;
  };
  for (const auto& [pairs, fail, pass] :
       {Row{6, 1, 3}, Row{8, 3, 6}, Row{10, 7, 11}, Row{12, 12, 18}, Row{16, 27, 36}}) {
    INFO(pairs);
    Random random(pairs);
    std::vector<double> changes, ratios;
    for (std::size_t i = 0; i < pairs; ++i) changes.push_back(0.02 * random.normal());
    for (const double change : changes) ratios.push_back(std::exp(change));
    const auto averages = walsh_averages(changes);
    const auto verdict = judge_pairs(kOnlyTtft, ttft_pairs(ratios).pairs, false);
    CHECK(*line(verdict, "ttft.p50").low == Approx(std::expm1(kth_smallest(averages, fail))));
    CHECK(*line(verdict, "ttft.p50").high == Approx(std::expm1(kth_largest(averages, pass))));
  }
}

TEST_CASE("gate: pairs that differ wildly do not fail, and what is needed is said") {
  const auto verdict =
      judge_pairs(kOnlyTtft, ttft_pairs({1.2, 2.0, 1.2, 2.1, 1.3, 2.2, 1.2, 2.0}).pairs, true);
  const auto& ttft = line(verdict, "ttft.p50");
  CHECK(verdict.decision == Decision::undecided);
  CHECK(ttft.reason ==
        "Significantly beyond +5.0 %, but the pairs differ by 28 % (standard deviation): over 20 % is too "
        "noisy to "
        "fail.");
  CHECK(ttft.needed == "runs of about 700 requests");
}

TEST_CASE("gate: an undecided end tells how many pairs or requests would do") {
  const auto verdict = judge_pairs(kOnlyTtft, ttft_pairs(ratios(16, 1.06, 0.02)).pairs, true);
  const auto& ttft = line(verdict, "ttft.p50");
  CHECK(verdict.decision == Decision::undecided);
  CHECK(ttft.needed == "about 34 pairs, or runs of about 700 requests");
}

TEST_CASE("gate: a pass beyond the limit of failure says below what it significantly is") {
  const auto verdict = judge_pairs(kOnlyTtft, ttft_pairs(ratios(6, 1.06, 0.01)).pairs, false);
  CHECK(verdict.decision == Decision::pass);
  CHECK(line(verdict, "ttft.p50").reason == "Significantly less than +10.0 %.");
}

TEST_CASE("gate: more failed requests than allowed fail at once") {
  auto pairs = ttft_pairs({1.0});
  fail_requests(pairs.candidate(0), 60);
  const auto verdict = judge_pairs(kOnlyTtft, pairs.pairs, false);
  CHECK(verdict.decision == Decision::fail);
  const auto& errors = line(verdict, "error_rate");
  CHECK(errors.kind == JudgementKind::guard);
  CHECK(*errors.value == Approx(0.2));
  CHECK(*errors.limit == 0.01);
  CHECK(errors.reason ==
        "60 of the candidate's 300 requests failed, 0 of the baseline's 300; most: http_error 500 (oops).");
  CHECK(verdict.ended == "decided after 1 of at most 16 pairs");
}

TEST_CASE("gate: a few failures of the first pair are held against all requests until the first look") {
  auto pairs = ttft_pairs({1.0, 1.0, 1.0, 1.0, 1.0, 1.0});
  fail_requests(pairs.candidate(0), 6);  // 2 % of its own, 0.3 % of all
  CHECK(judge_pairs(kOnlyTtft, std::span(pairs.pairs).first(1), false).decision == Decision::undecided);
  CHECK(judge_pairs(kOnlyTtft, pairs.pairs, false).decision == Decision::pass);
}

TEST_CASE("gate: failures that the baseline has too are no fault of the candidate") {
  auto pairs = ttft_pairs({1.0, 1.0, 1.0, 1.0, 1.0, 1.0});
  for (std::size_t i = 0; i < 6; ++i) {
    fail_requests(pairs.baseline(i), 30);
    fail_requests(pairs.candidate(i), 32);
  }
  const auto verdict = judge_pairs(kOnlyTtft, pairs.pairs, false);
  CHECK(line(verdict, "error_rate").decision == Decision::pass);
  CHECK(verdict.decision == Decision::undecided);  // the baseline itself did not answer as planned
  CHECK(line(verdict, "ok").reason ==
        "180 of the baseline's 1,800 planned requests had no good answer. There is nothing to compare with.");
}

TEST_CASE("gate: answers refused for the rate are answers that never came") {
  auto pairs = ttft_pairs({1.0, 1.0, 1.0, 1.0, 1.0, 1.0});
  for (std::size_t i = 0; i < 6; ++i) {
    fail_requests(pairs.candidate(i), 30);
    pairs.candidate(i).outcomes.back().status = 429;
  }
  const auto verdict = judge_pairs(kOnlyTtft, pairs.pairs, false);
  CHECK(line(verdict, "error_rate").decision == Decision::pass);
  CHECK(line(verdict, "ok").decision == Decision::fail);
  CHECK(*line(verdict, "ok").value == Approx(0.9));
  CHECK(verdict.exit_code == 1);
}

TEST_CASE("gate: an open loop plans what its schedule says") {
  auto pairs = ttft_pairs({1.0});
  for (auto& run : pairs.runs) {
    run.load.open_loop = true;
    run.load.requests.reset();
    run.load.scheduled_requests = 300;
  }
  pairs.candidate(0).requests = pairs.candidate(0).ok = pairs.candidate(0).outcomes.front().count = 200;
  CHECK(line(judge_pairs(kOnlyTtft, pairs.pairs, false), "ok").decision == Decision::fail);
}

TEST_CASE("gate: a pair with an untrustworthy run is set aside and does not count") {
  auto pairs = ttft_pairs({3.0, 1.0, 1.0, 1.0, 1.0, 1.0});
  distrust(pairs.candidate(0));
  const auto five = judge_pairs(kOnlyTtft, pairs.pairs, false);
  CHECK(five.decision == Decision::undecided);
  CHECK(five.trustworthy);
  CHECK(five.units.front().set_aside ==
        "candidate not to be trusted: Only 90 % of the requests were sent in time.");
  CHECK(five.units.front().changes.front().first == "ttft.p50");
  CHECK(*five.units.front().changes.front().second == Approx(std::log(3.0)));
  pairs.add({.ttft_p50 = 400}, {.ttft_p50 = 400});
  CHECK(judge_pairs(kOnlyTtft, pairs.pairs, false).decision == Decision::pass);
}

TEST_CASE("gate: more pairs set aside than counted, and more than five, are not to be trusted") {
  auto pairs = ttft_pairs(ratios(12, 1.5, 0.01));
  for (std::size_t i = 0; i < 6; ++i) distrust(pairs.baseline(i));
  CHECK(judge_pairs(kOnlyTtft, pairs.pairs, false).trustworthy);
  distrust(pairs.candidate(6));
  const auto verdict = judge_pairs(kOnlyTtft, pairs.pairs, true);
  CHECK_FALSE(verdict.trustworthy);
  CHECK(verdict.exit_code == 4);
}

TEST_CASE("gate: untrustworthy goes before failed") {
  auto pairs = ttft_pairs(ratios(14, 1.5, 0.01));
  for (std::size_t i = 0; i < 8; ++i) distrust(pairs.baseline(i));
  const auto verdict = judge_pairs(kOnlyTtft, pairs.pairs, false);
  CHECK(verdict.decision == Decision::fail);
  CHECK(verdict.exit_code == 4);
}

TEST_CASE("gate: a metric that a side's good answers do not give will come in no pair") {
  auto pairs = ttft_pairs({1.0});
  const auto& pair = pairs.pairs.front();
  const GatedMetric tpot{.metric = "tpot", .statistic = "p50"},
      queue{.metric = "server_queue", .statistic = "p50"},
      output{.metric = "output_throughput", .statistic = ""}, goodput{.metric = "goodput", .statistic = ""};
  CHECK(why_never(tpot, pair).empty());
  CHECK(why_never(output, pair).empty());
  CHECK(why_never(queue, pair) == "Neither side has a server_queue.p50.");
  CHECK(why_never(goodput, pair) == "Neither side has a goodput.");
  pairs.candidate(0).metrics.pop_back();
  CHECK(why_never(tpot, pair) == "The candidate has no tpot.p50.");
  pairs.candidate(0).ok = 0;  // it may come when the requests go well
  CHECK(why_never(tpot, pair).empty());
}

TEST_CASE("gate: a figure that one side lacks is undecided and says whose") {
  auto pairs = ttft_pairs({1.0, 1.0, 1.0, 1.0, 1.0, 1.0});
  for (std::size_t i = 0; i < 6; ++i) pairs.candidate(i).metrics.pop_back();
  const auto verdict = judge_pairs(default_gate_rule(false), pairs.pairs, false);
  CHECK(verdict.decision == Decision::undecided);
  CHECK(line(verdict, "tpot.p50").reason == "The candidate has no tpot.p50.");
  CHECK(line(verdict, "ttft.p50").decision == Decision::pass);
  const Check unknown{CheckKind::speed, CheckState::warning,
                      "TPOT is left out: 9 of 9 answers came in one piece.", ""};
  for (std::size_t i = 0; i < 6; ++i) pairs.candidate(i).validity.checks.push_back(unknown);
  CHECK(line(judge_pairs(default_gate_rule(false), pairs.pairs, false), "tpot.p50").reason ==
        "The candidate has no tpot.p50. TPOT is left out: 9 of 9 answers came in one piece.");
}

TEST_CASE("gate: tokens here and events there are no common measure") {
  auto pairs = ttft_pairs({1.0, 1.0, 1.0, 1.0, 1.0, 1.0});
  for (std::size_t i = 0; i < 6; ++i) pairs.candidate(i).token_source = TokenSource::events;
  const auto verdict = judge_pairs(default_gate_rule(false), pairs.pairs, false);
  CHECK(line(verdict, "tpot.p50").reason ==
        "The baseline's is counted from usage, the candidate's from events: an event is no token.");
  CHECK(line(verdict, "ttft.p50").decision == Decision::pass);
}

TEST_CASE("gate: a candidate that meets no SLO at all fails") {
  Pairs pairs;
  for (int i = 0; i < 6; ++i) {
    pairs.add({}, {});
    for (auto* run :
         {&pairs.baseline(static_cast<std::size_t>(i)), &pairs.candidate(static_cast<std::size_t>(i))})
      run->slo = SloResult{.slos = {"ttft<1s"}, .requests = 300, .met = 300, .attainment = 1, .goodput = 10};
    pairs.candidate(static_cast<std::size_t>(i)).slo->goodput = 0;
  }
  const auto verdict = judge_pairs(default_gate_rule(true), pairs.pairs, false);
  CHECK(verdict.decision == Decision::fail);
  CHECK(verdict.judgements.front().text == "goodput");
}

TEST_CASE("gate: between a warm and a cold mode the mean is judged and it says so") {
  auto pairs = ttft_pairs({1.0, 1.0, 1.0, 1.0, 1.0, 1.0});
  add_cache_slices(pairs.candidate(2), 40, 260);
  const auto verdict = judge_pairs(default_gate_rule(false), pairs.pairs, false);
  CHECK(line(verdict, "ttft.mean").decision == Decision::pass);
  CHECK(line(verdict, "tpot.p50").decision == Decision::pass);
  REQUIRE(verdict.notes.size() == 1);
  CHECK(verdict.notes.front().starts_with("ttft.mean is judged in the place of ttft.p50:"));
  pairs.candidate(2).slices.clear();
  add_cache_slices(pairs.candidate(2), 10, 290);
  CHECK(line(judge_pairs(default_gate_rule(false), pairs.pairs, false), "ttft.p50").decision ==
        Decision::pass);
}

TEST_CASE("gate: answers of another length are no equal work, and it says so") {
  auto pairs = ttft_pairs({1.0, 1.0, 1.0, 1.0, 1.0, 1.0});
  for (std::size_t i = 0; i < 6; ++i) {
    pairs.baseline(i).output_tokens = 300 * 128;
    pairs.candidate(i).output_tokens = 300 * 100;
  }
  const auto verdict = judge_pairs(kOnlyTtft, pairs.pairs, false);
  CHECK(verdict.notes == std::vector<std::string>{"Answers are 100 tokens long on average of the candidate, "
                                                  "128 of the baseline: not the same work."});
}

TEST_CASE("gate: looks beyond sixteen pairs come every fourth, and at the end") {
  using Looks = std::vector<std::uint32_t>;
  CHECK(gate_looks(16) == Looks{6, 8, 10, 12, 16});
  CHECK(gate_looks(6) == Looks{6});
  CHECK(gate_looks(9) == Looks{6, 8, 9});
  CHECK(gate_looks(14) == Looks{6, 8, 10, 12, 14});
  CHECK(gate_looks(26) == Looks{6, 8, 10, 12, 16, 20, 24, 26});
  CHECK(gate_looks(5).empty());
  CHECK(next_look(GateRule{}, 0) == 6u);
  CHECK(next_look(GateRule{}, 12) == 16u);
  CHECK_FALSE(next_look(GateRule{}, 16));
}

namespace {

/// Its arrivals are uncertain: the TTFT p50 may be less by this much.
void make_uncertain(PointResult& run, double less) {
  run.validity.trustworthy = false;
  run.validity.checks = {
      {.kind = CheckKind::client, .state = CheckState::failed, .evidence = "late", .advice = {}}};
  run.possible_errors = {{.metric = "ttft", .statistic = "p50", .less = less}};
}

}  // namespace

TEST_CASE("gate: a server that is 5.6 times slower fails although every run is uncertain by a tenth") {
  auto pairs = ttft_pairs(ratios(6, 5.6, 0.1));
  for (auto& run : pairs.runs) make_uncertain(run, 40);
  const auto verdict = judge_pairs(kOnlyTtft, pairs.pairs, false);
  CHECK(verdict.decision == Decision::fail);
  CHECK(verdict.trustworthy);
  CHECK(verdict.units.front().set_aside.empty());
  CHECK(verdict.notes.back().starts_with("The client was late in 6 pairs."));
}

TEST_CASE("gate: a change within the bounds of uncertain arrivals decides nothing") {
  auto pairs = ttft_pairs(ratios(6, 1.15, 0.01));
  for (auto& run : pairs.runs) make_uncertain(run, 60);  // 15 %
  const auto verdict = judge_pairs(kOnlyTtft, pairs.pairs, true);
  CHECK(verdict.decision == Decision::undecided);
  CHECK_FALSE(verdict.trustworthy);
}

TEST_CASE("gate: equal servers pass where the bounds of uncertain arrivals allow no worse") {
  auto pairs = ttft_pairs(ratios(6, 1, 0.01));
  for (auto& run : pairs.runs) make_uncertain(run, 8);  // 2 %
  CHECK(judge_pairs(kOnlyTtft, pairs.pairs, false).decision == Decision::pass);
}

TEST_CASE("gate: a server 5.6 times slower fails although slots of its runs were idle in the client") {
  auto pairs = ttft_pairs(ratios(6, 5.6, 0.1));
  for (auto& run : pairs.runs) {
    distrust(run);
    run.possible_errors.emplace();
    run.metrics.push_back({.name = "client_queue", .unit = "ms", .count = 300, .mean = 400});
    run.metrics.push_back({.name = "e2e", .unit = "ms", .count = 300, .mean = 4000});
  }
  CHECK(judge_pairs(kOnlyTtft, pairs.pairs, false).decision == Decision::fail);
  // As slow as the difference: the baseline may have been slower by the time that its slots were idle.
  for (auto& run : pairs.runs) run.metrics[run.metrics.size() - 2].mean = 2000;
  CHECK(judge_pairs(kOnlyTtft, pairs.pairs, true).decision == Decision::undecided);
}

TEST_CASE("gate: an open loop that was not sent as planned is set aside whatever it shows") {
  auto pairs = ttft_pairs(ratios(6, 5.6, 0.1));
  for (auto& run : pairs.runs) {
    distrust(run);
    run.load.open_loop = true;
    run.possible_errors.emplace();
  }
  CHECK(judge_pairs(kOnlyTtft, pairs.pairs, true).decision == Decision::undecided);
}
