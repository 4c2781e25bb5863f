#include "example_charts.hpp"

#include <cmath>
#include <limits>

namespace infermeter {
namespace {

/// Bins of 5 % from `low` on.
Distribution distribution(const char* metric, double low, std::vector<double> counts) {
  Distribution out;
  out.metric = metric;
  out.unit = "ms";
  double below = 0, total = 0;
  for (const double count : counts) total += count;
  out.count = static_cast<std::uint64_t>(total);
  for (std::size_t i = 0; i <= counts.size(); ++i) {
    out.edges.push_back(low * std::pow(1.05, static_cast<double>(i)));
    out.cdf.emplace_back(out.edges.back(), below / total);
    if (i < counts.size()) below += counts[i];
  }
  out.counts = std::move(counts);
  return out;
}

Timeline timeline() {
  const double none = std::numeric_limits<double>::quiet_NaN();
  Timeline out;
  out.from_s = 0.5;
  out.step_s = 0.5;
  for (int i = 0; i < 60; ++i) {
    out.in_flight.push_back(i < 4 ? 8 * (i + 1) : 32);
    out.output_tokens_per_s.push_back(i < 2 ? 0 : 3000 + 200 * (i % 4));
    out.ttft_p50_ms.push_back(i > 20 && i < 30 ? none : 90 + i % 5);
    out.ttft_p95_ms.push_back(i > 20 && i < 30 ? none : 120 + i % 7);
    out.errors.push_back(i == 40 ? 2 : 0);
  }
  return out;
}

PointCharts point_charts(const PointResult& point) {
  PointCharts out;
  out.point = point.point;
  out.target = point.target;
  const char* ttft = point.load.open_loop ? "ttft_response" : "ttft";
  out.distributions = {
      distribution(ttft, 60, {1, 4, 12, 40, 90, 140, 110, 60, 30, 12, 5, 3, 2, 6, 20, 34, 21, 8, 2, 1}),
      distribution("itl", 8, {2, 30, 400, 9000, 7000, 500, 60, 9, 1, 0, 0, 0, 0, 0, 0, 0, 0,  0,
                              0, 0,  0,   0,    0,    0,   0,  0, 0, 0, 0, 0, 0, 0, 0, 9, 20, 6}),
      distribution("tpot", 9, {20, 60, 20}), distribution("e2e", 1200, {40, 40, 10, 10})};
  out.timeline = timeline();
  out.ttft_by_prompt = {{500, 80}, {512, 90.5}, {530, 700}};
  out.waterfall = {{7, 1, 1.001, 1.02, 1.09, 2.3, false}, {8, 1.1, 1.101, 1.101, 1.5, 1.5, true}};
  out.streams = {{7, "median", {9.8, 19.6}, {9.8, 9.8}}};
  return out;
}

}  // namespace

Charts example_charts(const RunResult& run) {
  Charts out;
  for (const auto& point : run.points) {
    if (!point.has_figures()) continue;
    out.points.push_back(point_charts(point));
    out.speeds.push_back({point.point, point.target, 100.0 - point.point, 100.0 * (point.point + 1), true});
  }
  return out;
}

Charts charts_without_gaps(const RunResult& run) {
  Charts out = example_charts(run);
  for (auto& point : out.points) {
    point.gaps_kept = false;
    point.streams.clear();
    std::erase_if(point.distributions, [](const Distribution& d) { return d.metric == "itl"; });
  }
  return out;
}

}  // namespace infermeter
