#include <algorithm>

#include "analysis/figures/samples.hpp"
#include "infermeter/analysis/thresholds.hpp"

namespace infermeter {

namespace {

/// The statistic of one request's own gaps.
std::optional<double> gap_statistic(std::vector<WeightedSample> gaps, std::string_view statistic) {
  if (gaps.empty()) return std::nullopt;
  std::ranges::sort(gaps, {}, &WeightedSample::value);
  const auto total = total_weight(gaps);
  if (statistic == "min") return gaps.front().value;
  if (statistic == "max") return gaps.back().value;
  if (statistic != "mean") return quantile(gaps, total, percentile_of(statistic).value_or(50) / 100);
  double sum = 0;
  for (const auto& gap : gaps) sum += gap.value * gap.weight;
  return sum / static_cast<double>(total);
}

}  // namespace

std::optional<double> value_of(const Threshold& threshold, const PointResult& point) {
  return estimate_of(point, *find_figure(threshold.metric), threshold.statistic).value;
}

std::optional<double> limit_of(const Threshold& threshold, const PointResult& point) {
  if (threshold.of_metric.empty()) return threshold.limit;
  const auto other = estimate_of(point, *find_figure(threshold.of_metric), threshold.of_statistic);
  return other.value ? std::optional(threshold.limit * *other.value) : std::nullopt;
}

std::optional<bool> holds(const Threshold& threshold, const PointResult& point) {
  const auto value = value_of(threshold, point), limit = limit_of(threshold, point);
  if (!value || !limit) return std::nullopt;
  return holds(*value, threshold.comparison, *limit);
}

std::optional<double> value_of(const Threshold& slo, const RequestRecord& record) {
  const auto& figure = *find_figure(slo.metric);
  if (!figure.has_gaps()) return figure_of(figure, record);
  if (record.outcome != Outcome::ok && record.outcome != Outcome::cancelled) return std::nullopt;
  const Records one{&record};
  return gap_statistic(collect_gaps(one, figure, TimeBlocks(one)), slo.statistic);
}

}  // namespace infermeter
