#include "infermeter/model/result.hpp"

#include <algorithm>
#include <cmath>

namespace infermeter {

const Percentile* Metric::find(double percentile) const {
  const auto it = std::ranges::find_if(
      percentiles, [&](const auto& p) { return std::abs(p.percentile - percentile) < 1e-9; });
  return it == percentiles.end() ? nullptr : &*it;
}

const Metric* PointResult::find(std::string_view metric) const {
  const auto it = std::ranges::find(metrics, metric, &Metric::name);
  return it == metrics.end() ? nullptr : &*it;
}

bool PointResult::has_figures() const {
  return ok > 0 || std::ranges::any_of(slices, [](const Slice& slice) { return !slice.metrics.empty(); });
}

const Metric* Slice::find(std::string_view metric) const {
  const auto it = std::ranges::find(metrics, metric, &Metric::name);
  return it == metrics.end() ? nullptr : &*it;
}

}  // namespace infermeter
