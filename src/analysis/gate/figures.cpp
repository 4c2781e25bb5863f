#include "analysis/gate/figures.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "analysis/assertions/thresholds.hpp"
#include "analysis/figures/figures.hpp"

namespace infermeter {

namespace {

/// A ratio beyond it says nothing more, and ln 0 would spoil every mean.
constexpr double kWorstRatio = 1000;
constexpr double kLeastModeShare = 0.10;

template <std::size_t n>
bool is_one_of(std::string_view name, const std::array<std::string_view, n>& names) {
  return std::ranges::find(names, name) != names.end();
}

std::uint64_t ok_of(const PointResult& point, std::string_view cache) {
  for (const auto& slice : point.slices) {
    if (slice.by == "cache" && slice.name == cache) return slice.ok;
  }
  return 0;
}

bool counts_tokens(std::string_view metric) {
  constexpr std::array<std::string_view, 7> of_tokens{
      "itl", "tpot", "tps", "output_throughput", "total_throughput", "output_per_gpu", "comfort"};
  return is_one_of(metric, of_tokens);
}

}  // namespace

std::string label(const GatedMetric& metric) {
  return metric.statistic.empty() ? metric.metric : metric.metric + "." + metric.statistic;
}

bool more_is_better(std::string_view metric) {
  constexpr std::array<std::string_view, 8> shares_and_rates{"goodput",        "slo_attainment",  "comfort",
                                                             "achieved_ratio", "cache_hit_share", "ok",
                                                             "requests",       "output_per_gpu"};
  const auto* figure = find_figure(metric);
  return (figure && figure->low_tail) || metric.ends_with("_throughput") ||
         is_one_of(metric, shares_and_rates);
}

std::string_view unit_of(std::string_view metric) {
  const auto* figure = find_figure(metric);
  if (!figure) return "";
  switch (figure->unit) {
    case FigureUnit::milliseconds:
      return "ms";
    case FigureUnit::share:
      return "share";
    case FigureUnit::tokens_per_second:
      return "tokens/s";
    case FigureUnit::chars_per_second:
      return "chars/s";
    case FigureUnit::per_second:
      return "/s";
    case FigureUnit::count:
    case FigureUnit::money:
      break;
  }
  return "";
}

std::optional<double> figure_of(const GatedMetric& metric, const PointResult& point) {
  return figure(Threshold{.text = {}, .metric = metric.metric, .statistic = metric.statistic}, point);
}

double log_change(double baseline, double candidate) {
  return std::log(std::clamp(candidate / baseline, 1 / kWorstRatio, kWorstRatio));
}

double worse(const GatedMetric& metric, double change) {
  return more_is_better(metric.metric) ? -change : change;
}

bool has_two_modes(const PointResult& point) {
  const auto cold = ok_of(point, "cold"), warm = ok_of(point, "warm");
  const auto least = kLeastModeShare * static_cast<double>(cold + warm);
  return cold > 0 && warm > 0 && static_cast<double>(std::min(cold, warm)) >= least;
}

bool holds_prefill(std::string_view metric) {
  constexpr std::array<std::string_view, 8> times{"ttfb", "ttft",         "ttft_response",  "ttfo",
                                                  "e2e",  "e2e_response", "server_prefill", "server_ttft"};
  return is_one_of(metric, times);
}

std::string unlike_counts(const GatedMetric& metric, const PointResult& baseline,
                          const PointResult& candidate) {
  if (!counts_tokens(metric.metric) || baseline.token_source == candidate.token_source) return {};
  if (baseline.token_source != "events" && candidate.token_source != "events") return {};
  return fmt::format("The baseline's is counted from {}, the candidate's from {}: an event is no token.",
                     baseline.token_source, candidate.token_source);
}

std::vector<GatedMetric> judged_metrics(const GateRule& rule, std::span<const PointResult* const> points,
                                        std::vector<std::string>& notes) {
  auto metrics = rule.metrics;
  if (std::ranges::none_of(points, [](const auto* point) { return has_two_modes(*point); })) return metrics;
  for (auto& metric : metrics) {
    if (metric.statistic != "p50" || !holds_prefill(metric.metric)) continue;
    notes.push_back(fmt::format(
        "{0}.mean is judged in the place of {0}.p50: part of the requests met a warm cache and part a cold "
        "one, and a median between the two modes jumps from one to the other.",
        metric.metric));
    metric.statistic = "mean";
  }
  return metrics;
}

}  // namespace infermeter
