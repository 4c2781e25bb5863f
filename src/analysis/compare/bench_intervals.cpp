#include <algorithm>
#include <cmath>

#include "analysis/compare/bench_intervals.hpp"
#include "analysis/figures/describe.hpp"
#include "analysis/figures/estimate.hpp"
#include "analysis/statistics/intervals.hpp"

namespace infermeter {

namespace {

void replace(PointResult& point, Metric made) {
  const auto it = std::ranges::find(point.metrics, made.name, &Metric::name);
  if (it == point.metrics.end())
    point.metrics.push_back(std::move(made));
  else
    *it = std::move(made);
}

/// In ten blocks of time, as our own gaps are.
std::vector<WeightedSample> in_blocks(const std::vector<BenchGap>& gaps, double from_s, double block_s) {
  std::vector<WeightedSample> out;
  for (const auto& gap : gaps) {
    const double block = block_s > 0 ? std::floor((gap.at_s - from_s) / block_s) : 0;
    out.push_back({gap.gap_ms, 1, static_cast<std::uint32_t>(std::clamp(block, 0.0, kBlocks - 1.0))});
  }
  return out;
}

void add_gaps(PointResult& point, const std::vector<BenchGap>& gaps) {
  if (gaps.empty()) return;
  const auto [first, last] = std::ranges::minmax(gaps, {}, &BenchGap::at_s);
  const double block_s = (last.at_s - first.at_s) / kBlocks;
  const Metric* e2e = point.find("e2e");
  const bool long_enough = e2e && block_s * 1e3 >= e2e->mean;
  replace(point, describe_events(*find_figure("icl"), in_blocks(gaps, first.at_s, block_s), long_enough));
}

RequestSamples samples_of(const BenchSeries& series) {
  RequestSamples out;
  for (const double value : series.values) out.push_back({value});
  return out;
}

void bound_attainment(PointResult& point) {
  if (!point.slo || point.slo->requests == 0) return;
  const auto bounds = wilson(point.slo->met, point.slo->requests);
  point.slo->low = *bounds.low;
  point.slo->high = *bounds.high;
}

}  // namespace

void add_intervals(BenchRun& bench) {
  for (auto& point : bench.run.points) {
    bound_attainment(point);
    add_bounds(point, {});
  }
  for (const auto& samples : bench.samples) {
    auto& point = bench.run.points.at(samples.point);
    for (const auto& series : samples.series) {
      if (!series.values.empty()) replace(point, describe(*find_figure(series.metric), samples_of(series)));
    }
    add_gaps(point, samples.gaps);
  }
}

}  // namespace infermeter
