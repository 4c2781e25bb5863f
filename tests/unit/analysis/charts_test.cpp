#include "analysis/charts/charts.hpp"

#include <cmath>
#include <numeric>

#include "answers.hpp"
#include "catch.hpp"
#include "infermeter/analysis/summarize.hpp"

using namespace infermeter;
using namespace infermeter::tests;

namespace {

RunResult summarized_run(const LoadPoint& load, std::span<const RequestRecord> records) {
  RunResult run;
  run.targets.resize(1);
  run.points.push_back(summarize(load, records, {}));
  return run;
}

Charts charts_of(const LoadPoint& load, std::span<const RequestRecord> records) {
  return make_charts(summarized_run(load, records), records);
}

/// This many samples of 1 ms, 1.01 ms, … and one outlier.
std::vector<WeightedSample> bulk_and_outlier(std::size_t n, double far) {
  std::vector<WeightedSample> out;
  for (std::size_t i = 0; i < n; ++i) out.push_back({1 + 0.01 * static_cast<double>(i % 100), 1, 0});
  out.push_back({far, 1, 0});
  return out;
}

double sum(const std::vector<double>& values) { return std::accumulate(values.begin(), values.end(), 0.0); }

PointResult speed_point(std::uint32_t point, double per_user, double output) {
  PointResult out;
  out.point = point;
  out.whole.output = output;
  Metric tps;
  tps.name = "tps";
  tps.count = 1;
  tps.percentiles = {{50, per_user, {}, {}}};
  out.metrics.push_back(tps);
  return out;
}

}  // namespace

TEST_CASE("charts: bins of a distribution hold every sample and have equal ratios") {
  const Distribution d = make_distribution("ttft", bulk_and_outlier(10'000, 900));
  CHECK(sum(d.counts) == 10'001);
  CHECK(d.count == 10'001);
  CHECK(d.counts.size() <= 241);
  REQUIRE(d.edges.size() == d.counts.size() + 1);
  CHECK(d.edges[1] / d.edges[0] == Approx(d.edges[7] / d.edges[6]));
  CHECK(d.edges.front() <= 1);
  CHECK(d.edges.back() >= 900);
}

TEST_CASE("charts: a distribution's curve rises from the least to the greatest sample") {
  const Distribution d = make_distribution("ttft", bulk_and_outlier(10'000, 900));
  CHECK(d.cdf.size() <= 200);
  CHECK(d.cdf.front() == std::pair(1.0, 0.0));
  CHECK(d.cdf.back() == std::pair(900.0, 1.0));
  for (std::size_t i = 1; i < d.cdf.size(); ++i) {
    CHECK(d.cdf[i - 1].first <= d.cdf[i].first);
    CHECK(d.cdf[i - 1].second < d.cdf[i].second);
  }
}

TEST_CASE("charts: a coarse distribution keeps every sample, both ends and its median") {
  const Distribution d = make_distribution("ttft", bulk_and_outlier(10'000, 900), 0.2);
  CHECK(sum(d.counts) == 10'001);
  CHECK(d.counts.size() <= 49);
  CHECK(d.cdf.size() <= 40);
  CHECK(d.cdf.front() == std::pair(1.0, 0.0));
  CHECK(d.cdf.back() == std::pair(900.0, 1.0));
  CHECK(std::ranges::find(d.cdf, 0.5, &std::pair<double, double>::second) != d.cdf.end());
  CHECK(std::ranges::is_sorted(d.cdf));
}

TEST_CASE("charts: gaps of nothing have a place on a logarithmic axis") {
  const Distribution d = make_distribution("icl", {{0, 3, 0}, {10, 1, 0}});
  CHECK(d.cdf.front().first == 0.001);
  CHECK(sum(d.counts) == 4);
}

TEST_CASE("charts: equal samples are one bin about them") {
  const Distribution d = make_distribution("ttft", {{50, 1, 0}, {50, 1, 0}});
  REQUIRE(d.counts == std::vector<double>{2});
  CHECK(d.edges[0] < 50);
  CHECK(d.edges[1] > 50);
}

TEST_CASE("charts: a timeline's stretches add up to the tokens and the stays") {
  const auto records = closed_loop(4, 5);
  const Timeline t = make_timeline(pointers(records), 1);
  CHECK(sum(t.output_tokens_per_s) * t.step_s == Approx(4 * 5 * 30));
  double stays = 0;
  for (const auto& r : records) stays += static_cast<double>(*r.end_us - *r.started_us) / 1e6;
  CHECK(sum(t.in_flight) * t.step_s == Approx(stays));
}

TEST_CASE("charts: a timeline has at most 300 stretches of a round length, however long the run") {
  const std::vector<RequestRecord> day{answer(0, 1000, {}), answer(86'400'000'000, 1000, {})};
  const Timeline t = make_timeline(pointers(day), 1);
  CHECK(t.in_flight.size() <= 300);
  CHECK(t.step_s == 500);
  CHECK(t.ttft_p50_ms.front() == 1);
  CHECK(std::isnan(t.ttft_p50_ms[1]));
}

TEST_CASE("charts: a failure stands in the stretch of its end") {
  const std::vector<RequestRecord> records{answer(0, 1000, {10'000}), failed(5000, Outcome::connect)};
  const Timeline t = make_timeline(pointers(records), 1);
  CHECK(std::accumulate(t.errors.begin(), t.errors.end(), std::uint64_t{0}) == 1);
  CHECK(t.errors.at(static_cast<std::size_t>(0.006 / t.step_s)) == 1);
}

TEST_CASE("charts: without kept gaps tokens are spread between first and last") {
  auto record = answer(0, 1000, std::vector<std::uint32_t>(10, 10'000));
  record.gaps_us.clear();
  const Timeline t = make_timeline(pointers({record}), 1);
  CHECK(sum(t.output_tokens_per_s) * t.step_s == Approx(11));
}

TEST_CASE("charts: dots are thinned evenly and keep slowest, shortest and longest") {
  std::vector<RequestRecord> records;
  for (int i = 0; i < 5000; ++i) {
    records.push_back(answer(i, 1000 + i, {}));
    records.back().prompt_tokens = 100 + (i * 37) % 1000;
  }
  const auto dots = pick_prompts(pointers(records), 300);
  CHECK(dots.size() == 300);
  CHECK(std::ranges::max(dots, {}, &PromptDot::ttft_ms).ttft_ms == 5.999);
  CHECK(std::ranges::min(dots, {}, &PromptDot::ttft_ms).ttft_ms == 1);
  CHECK(std::ranges::max(dots, {}, &PromptDot::prompt_tokens).prompt_tokens == 1099);
  CHECK(std::ranges::min(dots, {}, &PromptDot::prompt_tokens).prompt_tokens == 100);
}

TEST_CASE("charts: a request without a first token waits until its end") {
  const auto bars = pick_waterfall(pointers({failed(2'000'000, Outcome::first_token_timeout)}), 100);
  REQUIRE(bars.size() == 1);
  CHECK(bars[0].failed);
  CHECK(bars[0].first_token_s == bars[0].end_s);
  CHECK(bars[0].end_s == Approx(2.001));
}

TEST_CASE("charts: the server's own queue parts what is before the first token") {
  auto record = answer(1'000'000, 50'000, {10'000});
  record.server_times.write().queue_ms = 20;
  CHECK(pick_waterfall(pointers({record}), 100)[0].queued_until_s == Approx(1.020));
  record.server_times.write().queue_ms = 900;  // by another machine's clock
  CHECK(pick_waterfall(pointers({record}), 100)[0].queued_until_s == Approx(1.050));
}

TEST_CASE("charts: the waterfall shows neighbours from the middle") {
  const auto bars = pick_waterfall(pointers(closed_loop(1, 300)), 100);
  REQUIRE(bars.size() == 100);
  CHECK(bars.front().id == 100);
  CHECK(bars.back().id == 199);
}

TEST_CASE("charts: a thinned stream keeps its largest gap") {
  std::vector<std::uint32_t> gaps(10'000, 10'000);
  gaps[7003] = 900'000;
  const auto streams = pick_streams(pointers({answer(0, 1000, gaps)}), 50);
  REQUIRE(streams.size() == 1);
  CHECK(streams[0].why == "median");
  CHECK(streams[0].gap_ms.size() == 50);
  CHECK(std::ranges::max(streams[0].gap_ms) == 900);
}

TEST_CASE("charts: streams are the median, fastest and slowest one and those with large gaps") {
  std::vector<RequestRecord> records;
  for (std::uint32_t i = 0; i < 9; ++i)
    records.push_back(answer(i, 1000, std::vector<std::uint32_t>(20, 10'000 + 1000 * i)));
  records[2].gaps_us[3] = 40'000;
  const auto streams = pick_streams(pointers(records), 100);
  REQUIRE(streams.size() == 5);
  CHECK(streams[0].why == "median");
  CHECK(streams[1].id == 0);
  CHECK(streams[2].id == 8);
  CHECK(streams[3].id == 2);
}

TEST_CASE("charts: 5,000 requests give no more values than the pictures hold") {
  const auto charts = charts_of(closed(50), closed_loop(50, 100));
  REQUIRE(charts.points.size() == 1);
  const PointCharts& point = charts.points[0];
  CHECK(point.ttft_by_prompt.empty());  // lengths are not known
  CHECK(point.waterfall.size() == 100);
  CHECK(point.timeline.in_flight.size() <= 300);
  CHECK(point.streams.size() == 5);
  CHECK(point.find("ttft"));
  CHECK(point.find("itl"));
  CHECK(point.find("tpot"));
  CHECK(point.find("e2e"));
}

TEST_CASE("charts: in open loop latency counts from the intended time too") {
  const auto charts = charts_of(open(10), closed_loop(2, 10));
  CHECK(charts.points.at(0).distributions.front().metric == "ttft_response");
  CHECK(charts.points.at(0).find("ttft"));
  CHECK(charts.points.at(0).find("e2e_response"));
}

TEST_CASE("charts: a run without an answer has a timeline and no distribution") {
  const auto charts =
      charts_of(closed(1), std::vector{failed(0, Outcome::connect), failed(5000, Outcome::dns)});
  REQUIRE(charts.points.size() == 1);
  CHECK(charts.points[0].distributions.empty());
  CHECK(charts.points[0].waterfall.size() == 2);
  CHECK_FALSE(charts.points[0].timeline.in_flight.empty());
  CHECK(charts.speeds.empty());
}

TEST_CASE("charts: one request, and none at all") {
  CHECK(charts_of(closed(1), std::vector{answer(0, 50'000, {10'000})}).points.at(0).streams.size() == 1);
  CHECK(charts_of(closed(1), {}).points.empty());
  CHECK(make_charts(RunResult{}, {}).points.empty());
}

TEST_CASE("charts: records without gaps are told apart from answers of one piece") {
  auto records = closed_loop(2, 5);
  CHECK(charts_of(closed(2), records).points.at(0).gaps_kept);
  for (auto& r : records) r.gaps_us.clear();
  const auto charts = charts_of(closed(2), records);
  CHECK_FALSE(charts.points.at(0).gaps_kept);
  CHECK(charts.points.at(0).streams.empty());
  CHECK(charts.points.at(0).find("tpot"));
  CHECK(charts_of(closed(1), std::vector{answer(0, 1000, {})}).points.at(0).gaps_kept);
}

TEST_CASE("charts: the order of the records changes nothing") {
  auto records = closed_loop(4, 6);
  for (std::size_t i = 0; i < records.size(); ++i) records[i].point = i % 2 == 0 ? 0 : 1;
  RunResult run;
  for (std::uint32_t p = 0; p < 2; ++p) run.points.emplace_back().point = p;
  const auto charts = make_charts(run, records);
  std::ranges::reverse(records);
  const auto again = make_charts(run, records);
  REQUIRE(charts.points.size() == 2);
  for (std::size_t p = 0; p < 2; ++p) {
    CHECK(charts.points[p].timeline.output_tokens_per_s == again.points[p].timeline.output_tokens_per_s);
    CHECK(charts.points[p].find("ttft")->cdf == again.points[p].find("ttft")->cdf);
    CHECK(charts.points[p].streams.front().id == again.points[p].streams.front().id);
  }
}

TEST_CASE("charts: each of 240 points has fewer figures than the only one") {
  const auto one = closed_loop(4, 100);
  const PointResult point = summarize(closed(4), one, {});
  RunResult run;
  for (std::uint32_t p = 0; p < 240; ++p) {
    run.points.push_back(point);
    run.points.back().point = p;
  }
  auto records = one;
  for (auto& record : records) record.point = 239;
  const PointCharts alone = charts_of(closed(4), one).points.at(0),
                    last = make_charts(run, records).points.back();
  CHECK(last.timeline.in_flight.size() <= 60);
  CHECK(alone.timeline.in_flight.size() > 100);
  CHECK(2 * last.distributions.at(0).cdf.size() < alone.distributions.at(0).cdf.size());
}

TEST_CASE("charts: a point is the best trade unless another is better for user and owner") {
  RunResult run;
  run.points = {speed_point(0, 100, 100), speed_point(1, 80, 500), speed_point(2, 70, 400),
                speed_point(3, 20, 900)};
  const auto speeds = make_charts(run, {}).speeds;
  REQUIRE(speeds.size() == 4);
  CHECK(speeds[0].pareto);
  CHECK(speeds[1].pareto);
  CHECK_FALSE(speeds[2].pareto);
  CHECK(speeds[3].pareto);
}

TEST_CASE("charts: output is per GPU where all points know their GPUs") {
  RunResult run;
  run.points = {speed_point(0, 100, 100), speed_point(1, 80, 500)};
  run.points[0].output_per_gpu = 25;
  CHECK_FALSE(make_charts(run, {}).per_gpu);
  CHECK(make_charts(run, {}).speeds[0].output == 100);
  run.points[1].output_per_gpu = 125;
  CHECK(make_charts(run, {}).per_gpu);
  CHECK(make_charts(run, {}).speeds[0].output == 25);
}
