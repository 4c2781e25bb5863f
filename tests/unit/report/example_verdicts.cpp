#include <array>
#include <tuple>

#include "example_parts.hpp"
#include "example_results.hpp"

namespace infermeter {

using namespace example;

namespace {

Judgement asserted(Decision decision, std::string text, std::string unit, double value,
                   std::optional<double> low, std::optional<double> high, double limit) {
  Judgement j;
  j.decision = decision;
  j.text = std::move(text);
  j.point = j.target = 0;
  j.unit = std::move(unit);
  j.value = value;
  j.low = low;
  j.high = high;
  j.limit = limit;
  j.by_interval = low.has_value() || high.has_value();
  return j;
}

/// Its limit is a multiple of another figure.
Judgement following(Judgement judgement) {
  judgement.limit_follows = true;
  return judgement;
}

Judgement changed(Decision decision, std::string text, std::string unit, std::array<double, 3> change,
                  double limit, std::pair<double, double> medians) {
  Judgement j = asserted(decision, std::move(text), std::move(unit), change[0], change[1], change[2], limit);
  j.kind = JudgementKind::change;
  j.point.reset();
  j.target.reset();
  j.relative = true;
  std::tie(j.baseline, j.candidate) = medians;
  return j;
}

}  // namespace

Verdict assert_verdict() {
  Verdict verdict;
  verdict.decision = Decision::fail;
  verdict.exit_code = 1;
  verdict.basis = Basis::assertions;
  verdict.judgements = {
      asserted(Decision::fail, "ttft.p95 < 100ms", "ms", 121.05, 117.2, 125.1, 100),
      asserted(Decision::undecided, "ttft.p99 < 150ms", "ms", 148.2, 137, {}, 150),
      asserted(Decision::pass, "output_throughput > 3000", "tokens/s", 3139.6, 3124.4, 3154.8, 3000),
      following(
          asserted(Decision::pass, "goodput >= 0.99 * request_throughput", "1/s", 24.4, {}, {}, 24.255)),
      asserted(Decision::pass, "error_rate < 1%", "share", 0, {}, {}, 0.01)};
  verdict.judgements[1].needed = "about 2,000 requests";
  return verdict;
}

Verdict gate_verdict() {
  Verdict verdict;
  verdict.decision = Decision::fail;
  verdict.exit_code = 1;
  verdict.basis = Basis::pairs;
  verdict.ended = "decided after 6 of at most 16 pairs";
  verdict.judgements = {
      changed(Decision::fail, "ttft.p50", "ms", {0.198, 0.161, 0.23}, 0.05, {81.2, 97.3}),
      changed(Decision::undecided, "ttft.p95", "ms", {0.121, -0.02, 0.29}, 0.1, {121, 136}),
      changed(Decision::pass, "tpot.p50", "ms", {0.002, -0.006, 0.009}, 0.05, {9.81, 9.83}),
      changed(Decision::pass, "output_throughput", "tokens/s", {-0.004, -0.011, 0.002}, -0.05, {3140, 3127}),
      asserted(Decision::pass, "error_rate", "share", 0, {}, {}, 0.01)};
  verdict.judgements[1].reason = "pair 4 was twice as slow as the others";
  verdict.judgements[1].needed = "about 12 pairs";
  verdict.judgements.back().kind = JudgementKind::guard;
  for (std::uint32_t i = 0; i < 6; ++i)
    verdict.units.push_back({i + 1, "", {{"ttft.p50", 0.18 + 0.003 * i}, {"tpot.p50", 0.002 - 0.001 * i}}});
  verdict.units.push_back({7, "the candidate's client was too slow", {{"ttft.p50", 1.1}, {"tpot.p50", {}}}});
  verdict.notes = {"on two equal servers this gate fails less than 1 time in 500 (docs/gate.md)"};
  return verdict;
}

Verdict untrusted_verdict() {
  Verdict verdict = assert_verdict();
  verdict.trustworthy = false;
  verdict.exit_code = 4;
  return verdict;
}

Verdict passed_verdict() {
  Verdict verdict;
  verdict.basis = Basis::assertions;
  for (const auto* where : {"concurrency 1", "concurrency 8", "concurrency 32"}) {
    verdict.judgements.push_back(
        asserted(Decision::pass, "ttft.p95 < 500ms", "ms", 121.05, 117.2, 125.1, 500));
    verdict.judgements.back().where = where;
  }
  return verdict;
}

RunResult asserted_run() {
  RunResult run = good_run();
  run.verdict = assert_verdict();
  return run;
}

namespace {

/// The same again, a little slower.
PointResult slower(PointResult point, double factor) {
  for (auto& metric : point.metrics) {
    if (metric.name != "ttft") continue;
    metric.mean *= factor;
    for (auto& p : metric.percentiles) {
      p.value *= factor;
      if (p.low) *p.low *= factor;
      if (p.high) *p.high *= factor;
    }
  }
  return point;
}

}  // namespace

RunResult pairs_run() {
  RunResult run = base_run();
  run.targets.push_back(local_target());
  run.targets[0].name = "baseline";
  run.targets[1].name = "candidate";
  run.targets[1].url = "http://localhost:8001/v1/chat/completions";
  run.target_order = TargetOrder::pairs;
  run.runs = 13;
  for (std::uint32_t pair = 0; pair < 6; ++pair) {
    for (std::uint32_t target = 0; target < 2; ++target) {
      PointResult& point =
          run.points.emplace_back(slower(good_point(), (target == 1 ? 1.2 : 1) + 0.01 * pair));
      point.point = pair;
      point.target = target;
      point.load.run = pair + 1;
    }
  }
  run.verdict = gate_verdict();
  return run;
}

RunResult set_aside_run() {
  RunResult run = pairs_run();
  for (std::uint32_t target = 0; target < 2; ++target) {
    PointResult& point = run.points.emplace_back(run.points[target]);
    point.point = 6;
    point.load.run = 7;
  }
  run.points.back().validity.trustworthy = false;
  run.points.back().validity.checks = {
      {CheckKind::client, CheckState::failed, "the client's own lag p99 is 12 ms", "Give it more cores."}};
  Verdict& verdict = *run.verdict;
  verdict.decision = Decision::pass;
  verdict.exit_code = 0;
  verdict.judgements.erase(verdict.judgements.begin(), verdict.judgements.begin() + 2);
  verdict.units.back().set_aside = "candidate not to be trusted: the client's own lag p99 is 12 ms";
  verdict.notes = {"Pair 7 is set aside: " + verdict.units.back().set_aside};
  return run;
}

RunResult repeated_run() {
  RunResult run = base_run();
  run.runs = 3;
  for (std::uint32_t i = 0; i < 6; ++i) {
    PointResult& point = run.points.emplace_back(slower(good_point(), 1 + 0.03 * (i % 3)));
    point.point = i;
    point.load.concurrency = i < 3 ? 8 : 32;
    point.load.run = i % 3 + 1;
  }
  run.points[4].steady->output = 3300;
  return run;
}

}  // namespace infermeter
