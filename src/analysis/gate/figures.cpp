#include "analysis/gate/figures.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace infermeter {

namespace {

/// A larger ratio adds nothing, and ln 0 would spoil every mean.
constexpr double kWorstRatio = 1000;
constexpr double kLeastModeShare = 0.10;

std::uint64_t ok_of(const PointResult& point, std::string_view cache) {
  for (const auto& slice : point.slices) {
    if (slice.by == SliceKind::cache && slice.name == cache) return slice.ok;
  }
  return 0;
}

}  // namespace

std::string label(const GatedMetric& metric) {
  return metric.statistic.empty() ? metric.metric : metric.metric + "." + metric.statistic;
}

const Figure& known_figure(const GatedMetric& metric) { return *find_figure(metric.metric); }

std::optional<double> value_of(const GatedMetric& metric, const PointResult& point) {
  return estimate_of(point, known_figure(metric), metric.statistic).value;
}

double log_change(double baseline, double candidate) {
  return std::log(std::clamp(candidate / baseline, 1 / kWorstRatio, kWorstRatio));
}

double worse(const GatedMetric& metric, double change) {
  return known_figure(metric).more_is_better ? -change : change;
}

bool has_two_modes(const PointResult& point) {
  const auto cold = ok_of(point, "cold"), warm = ok_of(point, "warm");
  const auto least = kLeastModeShare * static_cast<double>(cold + warm);
  return cold > 0 && warm > 0 && static_cast<double>(std::min(cold, warm)) >= least;
}

std::string unlike_counts(const GatedMetric& metric, const PointResult& baseline,
                          const PointResult& candidate) {
  if (!known_figure(metric).of_tokens || baseline.token_source == candidate.token_source) return {};
  if (baseline.token_source != TokenSource::events && candidate.token_source != TokenSource::events)
    return {};
  return fmt::format("The baseline's is counted from {}, the candidate's from {}: an event is no token.",
                     name(baseline.token_source), name(candidate.token_source));
}

std::vector<GatedMetric> judged_metrics(const GateRule& rule, std::span<const PointResult* const> points,
                                        std::vector<std::string>& notes) {
  auto metrics = rule.metrics;
  if (std::ranges::none_of(points, [](const auto* point) { return has_two_modes(*point); })) return metrics;
  for (auto& metric : metrics) {
    if (metric.statistic != "p50" || !known_figure(metric).holds_prefill) continue;
    notes.push_back(fmt::format(
        "{0}.mean is judged in the place of {0}.p50: part of the requests met a warm cache and part a cold "
        "one, and a median between the two modes jumps from one to the other.",
        metric.metric));
    metric.statistic = "mean";
  }
  return metrics;
}

}  // namespace infermeter
