#include "infermeter/analysis/compare.hpp"
#include "analysis/compare/bench_intervals.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "analysis/compare/changes.hpp"
#include "analysis/statistics/intervals.hpp"
#include "answers.hpp"
#include "catch.hpp"
#include "infermeter/analysis/assertions.hpp"
#include "infermeter/analysis/summarize.hpp"
#include "infermeter/analysis/thresholds.hpp"

using namespace infermeter;
using namespace infermeter::tests;

namespace {

Metric latency(std::string name, double p50, double low, double high) {
  Metric metric;
  metric.name = std::move(name);
  metric.unit = "ms";
  metric.count = 400;
  metric.mean = p50;
  metric.percentiles = {{50, p50, low, high}};
  return metric;
}

PointResult point_at(std::uint32_t concurrency, double ttft) {
  PointResult point;
  point.load.concurrency = concurrency;
  point.load.arrival = Arrival::closed;
  point.requests = point.ok = 400;
  point.outcomes = {{Outcome::ok, 0, 400, ""}};
  point.token_source = TokenSource::usage;
  point.metrics = {latency("ttft", ttft, ttft * 0.99, ttft * 1.01), latency("tpot", 10, 9.9, 10.1)};
  point.whole = Rates{30, 10, 0, 1000, 1000, 10.0, 8};
  return point;
}

RunResult run_of_points(std::vector<PointResult> points) {
  RunResult run;
  run.targets.resize(1);
  run.targets[0].model = "m";
  for (std::size_t i = 0; i < points.size(); ++i) points[i].point = static_cast<std::uint32_t>(i);
  run.points = std::move(points);
  return run;
}

SideBySide compare(const std::vector<RunResult>& runs) {
  std::vector<NamedResult> named;
  for (const auto& run : runs) named.push_back({"r", "", &run, {}});
  return compare_results(named);
}

const ComparedRow& row(const ComparedPoint& point, std::string_view metric, std::string_view statistic) {
  const auto it = std::ranges::find_if(
      point.rows, [&](const ComparedRow& r) { return r.metric == metric && r.statistic == statistic; });
  REQUIRE(it != point.rows.end());
  return *it;
}

ComparedCell change_of(double a, Bounds of_a, double b, Bounds of_b, Scale scale = Scale::ratio) {
  ComparedCell cell;
  const auto estimate = [](double value, const Bounds& of) {
    return Estimate{.value = value, .low = of.low, .high = of.high};
  };
  compare_estimates({estimate(a, of_a)}, {estimate(b, of_b)}, scale, cell);
  return cell;
}

/// A run with its records: `failures` of 400 requests at each point, one after the other.
struct Recorded {
  RunResult run;
  std::vector<RequestRecord> records;
};

Recorded recorded(const std::vector<int>& failures) {
  Recorded out;
  out.run.targets.resize(1);
  for (std::uint32_t point = 0; point < failures.size(); ++point) {
    std::vector<RequestRecord> own;
    for (int i = 0; i < 400; ++i) {
      own.push_back(answer(i * 100'000, 50'000 + 1'000 * ((i * 37) % 100), {10'000, 10'000}));
      own.back().point = point;
      if (i >= 100 && i < 100 + failures[point]) own.back().outcome = Outcome::truncated;
    }
    auto load = closed(2);
    load.run = point + 1;
    load.classes.resize(1);
    load.classes[0].slos = {parse_slo("--slo", "ttft<140ms")};
    out.run.points.push_back(summarize(load, own, {}));
    out.records.insert(out.records.end(), own.begin(), own.end());
  }
  return out;
}

ComparedPoint compare_recorded(const Recorded& a, const Recorded& b) {
  return compare_results(std::vector<NamedResult>{{"a", "", &a.run, a.records}, {"b", "", &b.run, b.records}})
      .points.at(0);
}

Judgement asserted(const Recorded& result, const char* text) {
  const std::vector asserts{parse_assertion("--assert", text)};
  return judge_assertions(result.run, result.records, asserts, false).judgements.at(0);
}

ChangeWord word(double change, std::optional<double> low, std::optional<double> high, double margin = 0.03) {
  ComparedCell cell;
  cell.change = change;
  cell.change_low = low;
  cell.change_high = high;
  return word_for(cell, margin, false);
}

}  // namespace

TEST_CASE("compare: a change of single runs has the distances of both intervals, squared and added") {
  const auto cell = change_of(100, {98, 103}, 120, {114, 125});
  const double d = std::log(1.2);
  CHECK(*cell.change == Approx(0.2));
  CHECK(*cell.change_low == Approx(std::expm1(d - std::hypot(std::log(120.0 / 114), std::log(103.0 / 100)))));
  CHECK(*cell.change_high == Approx(std::expm1(d + std::hypot(std::log(125.0 / 120), std::log(100.0 / 98)))));
}

TEST_CASE("compare: a bound that one side lacks is lacking in the change") {
  const auto cell = change_of(100, {98, std::nullopt}, 120, {114, 125});
  CHECK_FALSE(cell.change_low.has_value());
  CHECK(cell.change_high.has_value());
  CHECK(change_of(100, {}, 120, {114, 125}).reason == "no interval");
}

TEST_CASE("compare: nothing is a ratio of 0") {
  const auto cell = change_of(0, {}, 3, {});
  CHECK_FALSE(cell.change.has_value());
  CHECK(cell.reason == "no ratio to 0");
}

TEST_CASE("compare: shares are subtracted, by Newcombe's example of 56/70 and 48/80") {
  const auto a = wilson(48, 80), b = wilson(56, 70);
  const auto cell = change_of(0.6, a, 0.8, b, Scale::points);
  CHECK(*cell.change == Approx(0.2));
  CHECK(*cell.change_low == Approx(0.0524).margin(0.0001));
  CHECK(*cell.change_high == Approx(0.3339).margin(0.0001));
}

TEST_CASE("compare: several runs a side are compared by run, with Welch's interval") {
  ComparedCell cell;
  const auto of = [](double log) { return Estimate{.value = std::exp(log)}; };
  compare_estimates({of(0.0), of(0.1), of(0.2)}, {of(0.3), of(0.4), of(0.5)}, Scale::ratio, cell);
  // Equal variances of 0.01: 4 degrees of freedom, standard error √(2·0.01/3), t = 2.776.
  CHECK(std::log1p(*cell.change) == Approx(0.3));
  CHECK(std::log1p(*cell.change_low) == Approx(0.3 - 2.7764 * std::sqrt(0.02 / 3)).epsilon(1e-4));
  CHECK(std::log1p(*cell.change_high) == Approx(0.3 + 2.7764 * std::sqrt(0.02 / 3)).epsilon(1e-4));
}

TEST_CASE("compare: several runs have their geometric mean as value") {
  const auto pooled = pool({{50, {}}, {200, {}}}, Scale::ratio);
  CHECK(pooled->value == Approx(100));
}

TEST_CASE("compare: the word is `same` only where the whole interval is within the margin") {
  CHECK(word(0.01, 0.0, 0.02) == ChangeWord::same);
  CHECK(word(0.02, 0.012, 0.029) == ChangeWord::same);
  CHECK(word(0.01, -0.02, 0.04) == ChangeWord::unknown);
  CHECK(word(0.01, -0.02, 0.04, 0.05) == ChangeWord::same);
  CHECK(word(0.0, std::nullopt, 0.01) == ChangeWord::unknown);
}

TEST_CASE(
    "compare: the word is `worse` where the interval leaves out 0 and the change is beyond the margin") {
  CHECK(word(0.08, 0.02, 0.14) == ChangeWord::worse);
  CHECK(word(-0.08, -0.14, -0.02) == ChangeWord::better);
  CHECK(word(0.08, 0.02, std::nullopt) == ChangeWord::worse);
  CHECK(word(0.025, 0.01, 0.04) == ChangeWord::unknown);
  CHECK(word(0.08, -0.01, 0.17) == ChangeWord::unknown);
  CHECK(word(0.08, std::nullopt, std::nullopt) == ChangeWord::unknown);
}

TEST_CASE("compare: more throughput is better, more latency worse") {
  auto slower = point_at(8, 120);
  slower.whole.output = 800;
  const auto compared = compare({run_of_points({point_at(8, 100)}), run_of_points({slower})});
  REQUIRE(compared.points.size() == 1);
  const auto& ttft = row(compared.points[0], "ttft", "p50").cells[1];
  CHECK(*ttft.change == Approx(0.2));
  CHECK(ttft.word == ChangeWord::worse);
  CHECK(row(compared.points[0], "output_throughput", "").cells[1].word == ChangeWord::worse);
  CHECK(row(compared.points[0], "tpot", "p50").cells[1].word == ChangeWord::same);
}

TEST_CASE("compare: points are matched by load, those of one result alone are named") {
  const auto compared = compare({run_of_points({point_at(1, 100), point_at(8, 100), point_at(16, 100)}),
                                 run_of_points({point_at(8, 110), point_at(1, 100), point_at(32, 100)})});
  REQUIRE(compared.points.size() == 2);
  CHECK(compared.points[0].loads[0]->concurrency == 1);
  CHECK(*row(compared.points[1], "ttft", "p50").cells[1].change == Approx(0.1));
  REQUIRE(compared.unmatched.size() == 2);
  CHECK(compared.unmatched[0].loads[0]->concurrency == 16);
  CHECK_FALSE(compared.unmatched[0].loads[1].has_value());
  CHECK(compared.unmatched[1].loads[1]->concurrency == 32);
}

TEST_CASE("compare: the failed requests of each result are those of all its loads") {
  auto fine = point_at(1, 100), bad = point_at(8, 100);
  fine.outcomes = {{Outcome::ok, 200, 100, {}}};
  bad.outcomes = {{Outcome::ok, 200, 80, {}}, {Outcome::http_error, 429, 20, {}}};
  const auto compared = compare({run_of_points({fine, fine}), run_of_points({fine, bad})});
  CHECK(compared.results[0].failed == 0);
  CHECK(compared.results[0].health == HealthState::good);
  CHECK(compared.results[1].requests == 200);
  CHECK(compared.results[1].failed == 20);
  CHECK(compared.results[1].health == HealthState::degraded);
}

TEST_CASE("compare: two single loads that differ stand together, and it is said") {
  const auto compared = compare({run_of_points({point_at(8, 100)}), run_of_points({point_at(16, 110)})});
  REQUIRE(compared.points.size() == 1);
  CHECK(compared.points[0].loads_differ);
  CHECK_FALSE(compared.results[1].differences_of_kind.empty());
}

TEST_CASE("compare: the runs of one load are one point") {
  std::vector<PointResult> points{point_at(8, 100), point_at(8, 102), point_at(8, 98)};
  for (std::uint32_t i = 0; i < 3; ++i) points[i].load.run = i + 1;
  const auto compared = compare({run_of_points(points), run_of_points(points)});
  REQUIRE(compared.points.size() == 1);
  CHECK(compared.points[0].runs == std::vector<std::uint32_t>{3, 3});
  CHECK(row(compared.points[0], "ttft", "p50").cells[1].change_low.has_value());
}

TEST_CASE("compare: of several targets the name decides, one target is matched whatever it is called") {
  RunResult several = run_of_points({point_at(8, 100), point_at(8, 200)});
  several.targets.resize(2);
  several.targets[0].name = "a";
  several.targets[1].name = "b";
  several.points[1].point = 0;
  several.points[1].target = 1;
  RunResult swapped = several;
  std::swap(swapped.targets[0], swapped.targets[1]);
  const auto compared = compare({several, swapped});
  REQUIRE(compared.points.size() == 2);
  CHECK(compared.points[0].target == "a");
  CHECK(*row(compared.points[0], "ttft", "p50").cells[1].change == Approx(1));
  RunResult one = run_of_points({point_at(8, 100)}), other = one;
  one.targets[0].name = "x";
  other.targets[0].name = "y";
  CHECK(compare({one, other}).points.size() == 1);
}

TEST_CASE("compare: rates are of the steady window only where every result has one") {
  auto steady = point_at(8, 100);
  steady.steady = Rates{25, 12, 0, 1200, 1200, 10.0, 8};
  const auto both = compare({run_of_points({steady}), run_of_points({steady})}).points[0];
  CHECK_FALSE(both.whole_rates);
  CHECK(*row(both, "output_throughput", "").cells[0].value == 1200);
  const auto one = compare({run_of_points({steady}), run_of_points({point_at(8, 100)})}).points[0];
  CHECK(one.whole_rates);
  CHECK(*row(one, "output_throughput", "").cells[0].value == 1000);
  CHECK(row(one, "output_throughput", "").cells[1].word == ChangeWord::same);
}

TEST_CASE("compare: a figure per event is never set against one per token") {
  auto events = point_at(8, 100);
  events.token_source = TokenSource::events;
  const auto compared = compare({run_of_points({point_at(8, 100)}), run_of_points({events})});
  const auto& tpot = row(compared.points[0], "tpot", "p50").cells[1];
  CHECK(tpot.reason == "per event");
  CHECK_FALSE(tpot.change.has_value());
  CHECK(tpot.value.has_value());
  CHECK(row(compared.points[0], "ttft", "p50").cells[1].word == ChangeWord::same);
  CHECK(row(compare({run_of_points({events}), run_of_points({events})}).points[0], "tpot", "p50").events);
}

TEST_CASE("compare: a speed that is left out says why, on one side and on both") {
  const Check unknown{CheckKind::speed, CheckState::warning, "TPOT is left out: 9 of 9 came in one piece.",
                      ""};
  auto whole = point_at(8, 50), buffered = point_at(8, 50);
  buffered.metrics.pop_back();
  buffered.validity.checks.push_back(unknown);
  const auto one = compare({run_of_points({whole}), run_of_points({buffered})});
  const auto& tpot = row(one.points.at(0), "tpot", "p50");
  CHECK(tpot.cells[0].reason.empty());
  CHECK_FALSE(tpot.cells[1].value);
  CHECK(tpot.cells[1].reason == unknown.evidence);
  const auto both = compare({run_of_points({buffered}), run_of_points({buffered})});
  CHECK(row(both.points.at(0), "tpot", "p50").cells[0].reason == unknown.evidence);
  CHECK(row(both.points.at(0), "tpot", "p50").cells[1].reason == unknown.evidence);
}

TEST_CASE("compare: a client's queue under a millisecond is the same, however it changed") {
  auto a = point_at(8, 100), b = a;
  a.metrics.push_back(latency("client_queue", 0.03, 0.02, 0.04));
  b.metrics.push_back(latency("client_queue", 0.3, 0.2, 0.4));
  for (auto* point : {&a, &b}) point->metrics.back().percentiles[0].percentile = 95;
  const auto compared = compare({run_of_points({a}), run_of_points({b})});
  const auto& queue = row(compared.points[0], "client_queue", "p95").cells[1];
  CHECK(queue.word == ChangeWord::same);
  CHECK(queue.reason == "negligible");
}

TEST_CASE("compare: what differs around the runs is told with each one's value") {
  RunResult a = run_of_points({point_at(8, 100)}), b = a;
  a.environment.kernel = "6.1.0";
  b.environment.kernel = "6.12.3";
  b.environment.governor = "powersave";  // of a it is not known
  const auto compared = compare({a, b});
  REQUIRE(compared.surroundings.size() == 1);
  CHECK(compared.surroundings[0].name == "kernel");
  CHECK(compared.surroundings[0].values == std::vector<std::string>{"6.1.0", "6.12.3"});
}

TEST_CASE("compare: runs against two regions name both") {
  RunResult a = run_of_points({point_at(8, 100)}), b = a;
  for (auto* run : {&a, &b}) run->targets.resize(1);
  a.targets[0].region = "eu-west";
  b.targets[0].region = "us-east";
  const auto compared = compare({a, b});
  REQUIRE(compared.surroundings.size() == 1);
  CHECK(compared.surroundings[0].name == "region");
  CHECK(compared.surroundings[0].values == std::vector<std::string>{"eu-west", "us-east"});
}

TEST_CASE("compare: a run that is not to be trusted says why") {
  RunResult doubtful = run_of_points({point_at(8, 100)});
  doubtful.points[0].validity.trustworthy = false;
  doubtful.points[0].validity.checks = {{CheckKind::client, CheckState::failed, "4 % late", ""}};
  const auto compared = compare({run_of_points({point_at(8, 100)}), doubtful});
  CHECK(compared.results[0].trustworthy);
  CHECK_FALSE(compared.results[1].trustworthy);
  CHECK(compared.results[1].doubts == std::vector<std::string>{"4 % late"});
}

TEST_CASE("compare: another tool's samples give its figures intervals and the percentiles left out") {
  BenchRun bench{run_of_points({point_at(8, 100)}), {}};
  std::vector<double> values(200);
  std::iota(values.begin(), values.end(), 1);
  std::ranges::sort(values, {}, [](double v) { return std::fmod(v * 37, 101); });  // not sorted by size
  bench.samples = {{0, {{"ttft", values}}, {}}};
  add_intervals(bench);
  const Metric* ttft = bench.run.points[0].find("ttft");
  REQUIRE(ttft);
  CHECK(ttft->find(50)->value == Approx(100.5));
  CHECK(ttft->find(50)->low.has_value());
  CHECK(ttft->find(95)->value == Approx(190.05));
}

TEST_CASE("compare: requests that fail together are no proof of a higher error rate") {
  const auto point = compare_recorded(recorded({0}), recorded({8}));
  const auto& errors = row(point, "error_rate", "").cells[1];
  CHECK(errors.value == Approx(0.02));
  CHECK(*errors.high > 0.07);  // 400 independent ones: 0.039
  CHECK(errors.word == ChangeWord::unknown);
}

TEST_CASE("compare: an interval is the one that an assertion prints") {
  const auto one = recorded({8});
  const auto point = compare_recorded(one, one);
  for (const auto* metric :
       {"error_rate", "goodput", "request_throughput", "output_throughput", "slo_attainment"}) {
    INFO(metric);
    const auto& cell = row(point, metric, "").cells[0];
    const auto judged = asserted(one, (std::string(metric) + " > 0").c_str());
    CHECK(cell.low == judged.low);
    CHECK(cell.high == judged.high);
    CHECK(judged.low.has_value());
  }
}

TEST_CASE("compare: errors of one run among several tell little of the next run") {
  const auto steady = recorded({8, 8, 8}), once = recorded({0, 0, 24});
  const auto point = compare_recorded(steady, once);
  const auto& errors = row(point, "error_rate", "").cells;
  CHECK(errors[0].value == Approx(0.02));
  CHECK(errors[1].value == Approx(0.02));
  CHECK(*errors[1].high > 0.1);
  CHECK(*errors[1].high > 1.5 * *errors[0].high);
}

TEST_CASE("compare: each point has the intervals of its own records, in whatever order they come") {
  auto one = recorded({0, 8});
  one.run.points[1].load.concurrency = 8;
  const auto other = one;
  const auto straight = compare_recorded(one, other);
  std::ranges::stable_sort(one.records, {}, &RequestRecord::id);
  const auto mixed = compare_recorded(one, other);
  CHECK(row(straight, "request_throughput", "").cells[0].low ==
        row(mixed, "request_throughput", "").cells[0].low);
  CHECK(row(mixed, "request_throughput", "").cells[0].low.has_value());
}
