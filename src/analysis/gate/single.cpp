#include "analysis/gate/single.hpp"

#include <fmt/format.h>

#include <array>
#include <charconv>
#include <cmath>

#include "analysis/gate/figures.hpp"
#include "analysis/gate/verdict.hpp"

namespace infermeter {

namespace {

constexpr double kNormal = 1.960;

struct FigureInterval {
  double value = 0;
  std::optional<double> low, high;
};

FigureInterval of_statistic(const Metric& metric, const GatedMetric& gated, double value) {
  FigureInterval out{.value = value, .low = {}, .high = {}};
  if (gated.statistic == "mean" && metric.n_eff > 1) {
    const double half = kNormal * metric.stddev / std::sqrt(metric.n_eff);
    out.low = value - half;
    out.high = value + half;
  } else if (gated.statistic.starts_with("p")) {
    double percentile = 0;
    const auto& text = gated.statistic;
    std::from_chars(text.data() + 1, text.data() + text.size(), percentile);
    const auto* found = metric.find(percentile);
    if (found) out = {.value = found->value, .low = found->low, .high = found->high};
  }
  return out;
}

/// Answers come as tokens do: a rate's interval is that of the output tokens, in proportion.
FigureInterval of_rate(const PointResult& point, double value) {
  const auto& rates = point.steady ? *point.steady : point.whole;
  if (!rates.output_half_width || rates.output <= 0) return {.value = value, .low = {}, .high = {}};
  const double half = value * *rates.output_half_width / rates.output;
  return {.value = value, .low = value - half, .high = value + half};
}

/// Likewise goodput, in proportion to the share that met the SLOs.
FigureInterval of_slo(const SloResult& slo, double value) {
  if (slo.attainment <= 0) return {.value = value, .low = {}, .high = {}};
  return {.value = value, .low = value * slo.low / slo.attainment, .high = value * slo.high / slo.attainment};
}

std::optional<FigureInterval> interval_of(const GatedMetric& metric, const PointResult& point) {
  const auto value = figure_of(metric, point);
  if (!value) return std::nullopt;
  if (const auto* found = point.find(metric.metric)) return of_statistic(*found, metric, *value);
  if (point.slo && (metric.metric == "goodput" || metric.metric == "slo_attainment"))
    return of_slo(*point.slo, *value);
  if (metric.metric.ends_with("_throughput")) return of_rate(point, *value);
  return FigureInterval{.value = *value, .low = {}, .high = {}};
}

/// What lies between a figure and its bound, as ln; nothing where there is none.
std::optional<double> reach(const std::optional<double>& bound, double value) {
  if (!bound || *bound <= 0 || value <= 0) return std::nullopt;
  return std::abs(std::log(*bound / value));
}

std::optional<double> both(const std::optional<double>& one, const std::optional<double>& other) {
  return one && other ? std::optional(std::hypot(*one, *other)) : std::nullopt;
}

/// The change with its bounds, positive is worse.
WorseChange change_between(const GatedMetric& metric, const FigureInterval& baseline,
                           const FigureInterval& candidate) {
  const double change = log_change(baseline.value, candidate.value);
  auto down = both(reach(candidate.low, candidate.value), reach(baseline.high, baseline.value));
  auto up = both(reach(candidate.high, candidate.value), reach(baseline.low, baseline.value));
  if (more_is_better(metric.metric)) std::swap(down, up);
  WorseChange out{.estimate = worse(metric, change), .low = {}, .high = {}};
  if (down) out.low = out.estimate - *down;
  if (up) out.high = out.estimate + *up;
  return out;
}

Decision decide_single(const WorseChange& change, double limit) {
  if (change.low && *change.low > limit) return Decision::fail;
  return change.high && *change.high < limit ? Decision::pass : Decision::undecided;
}

}  // namespace

Judgement judge_single(const GatedMetric& metric, const PointResult& baseline, const PointResult& candidate) {
  const auto of_baseline = interval_of(metric, baseline), of_candidate = interval_of(metric, candidate);
  if (!of_baseline || !of_candidate || of_baseline->value <= 0) {
    auto line = change_line(metric, std::nullopt, {}, {});
    line.reason = fmt::format(
        "The {} has no {}.", of_baseline && of_baseline->value > 0 ? "candidate" : "baseline", label(metric));
    return line;
  }
  const auto change = change_between(metric, *of_baseline, *of_candidate);
  auto line = change_line(metric, change, std::array{of_baseline->value}, std::array{of_candidate->value});
  line.decision = decide_single(change, std::log1p(metric.least));
  if (line.decision != Decision::undecided) return line;
  line.reason = change.low && change.high
                    ? fmt::format("{} lies within the interval.", limit_words(metric, metric.least))
                    : "A single run of so few requests gives no interval.";
  line.needed = "longer runs, or several of each side";
  return line;
}

}  // namespace infermeter
