#include "analysis/compare/compared_figures.hpp"

#include <algorithm>
#include <array>
#include <cmath>

#include "analysis/assertions/thresholds.hpp"

namespace infermeter {

namespace {

/// What nobody would act upon: METHOD's smallest effects of a gate, a little below.
constexpr double kOfP95 = 0.05, kOfP99 = 0.10, kOfShares = 0.01;
constexpr double kLeastDifference = 1e-3;  // records hold whole microseconds

constexpr ComparedFigure latency(std::string_view metric, std::string_view statistic, double margin = 0.03) {
  return {.metric = metric, .statistic = statistic, .unit = "ms", .margin = margin};
}
constexpr ComparedFigure rate(std::string_view metric, std::string_view unit) {
  return {.metric = metric, .statistic = "", .unit = unit, .more_is_better = true};
}
constexpr ComparedFigure share(std::string_view metric, bool more_is_better) {
  return {.metric = metric,
          .statistic = "",
          .unit = "share",
          .more_is_better = more_is_better,
          .scale = Scale::points,
          .margin = kOfShares};
}
constexpr ComparedFigure of_tokens(ComparedFigure figure) {
  figure.of_tokens = true;
  return figure;
}
constexpr ComparedFigure speed(std::string_view metric, std::string_view unit) {
  return {.metric = metric, .statistic = "p50", .unit = unit, .more_is_better = true};
}

constexpr std::array kFigures{
    latency("client_queue", "p95", kOfP95),
    latency("ttft_response", "mean"),
    latency("ttft_response", "p50"),
    latency("ttft_response", "p95", kOfP95),
    latency("ttft_response", "p99", kOfP99),
    latency("ttft", "mean"),
    latency("ttft", "p50"),
    latency("ttft", "p95", kOfP95),
    latency("ttft", "p99", kOfP99),
    latency("ttfo", "p50"),
    latency("ttfo", "p95", kOfP95),
    of_tokens(latency("tpot", "p50")),
    of_tokens(latency("tpot", "p95", kOfP95)),
    of_tokens(speed("tps", "tokens/s")),
    latency("itl", "p50"),
    latency("itl", "p95", kOfP95),
    latency("icl", "p50"),
    latency("icl", "p95", kOfP95),
    speed("chars_per_second", "chars/s"),
    latency("e2e_response", "p50"),
    latency("e2e_response", "p95", kOfP95),
    latency("e2e", "p50"),
    latency("e2e", "p95", kOfP95),
    of_tokens(rate("output_throughput", "tokens/s")),
    rate("request_throughput", "requests/s"),
    rate("item_throughput", "vectors/s"),
    rate("goodput", "requests/s"),
    share("slo_attainment", true),
    share("error_rate", false),
    ComparedFigure{.metric = "cost_per_1k", .statistic = "", .unit = "money"},
};

std::optional<double> value_of(const ComparedFigure& figure, const PointResult& point) {
  const Threshold threshold{
      .text = {}, .metric = std::string(figure.metric), .statistic = std::string(figure.statistic)};
  return infermeter::figure(threshold, point);
}

std::optional<double> value_of(const ComparedFigure& figure, const MeasuredPoint& measured) {
  const bool output = figure.metric == "output_throughput", requests = figure.metric == "request_throughput";
  if (!output && !requests) return value_of(figure, *measured.point);
  const Rates& rates = measured.rates();
  const double value = output ? rates.output : rates.request;
  return rates.window_s > 0 && value > 0 ? std::optional(value) : std::nullopt;
}

/// The mean of requests that are worth n_eff independent ones.
Bounds mean_bounds(const Metric& metric) {
  if (metric.n_eff < kFewestEffective) return {};
  const double half = kNormal * metric.stddev / std::sqrt(metric.n_eff);
  return {metric.mean - half, metric.mean + half};
}

Bounds latency_bounds(const ComparedFigure& figure, const PointResult& point) {
  const Metric* metric = point.find(figure.metric);
  if (!metric) return {};
  if (figure.statistic == "mean") return mean_bounds(*metric);
  for (const auto& percentile : metric->percentiles) {
    if (figure.statistic == "p" + std::to_string(std::lround(percentile.percentile)))
      return {percentile.low, percentile.high};
  }
  return {};
}

/// A cost by tokens is counted: the change alone decides.
Bounds bounds_of(const ComparedFigure& figure, double value, const MeasuredPoint& measured) {
  if (figure.metric == "cost_per_1k" && measured.point->cost->source != "per_hour") return {value, value};
  return single_bounds(figure.metric, value, measured);
}

bool reasons_first(const PointResult& point) {
  const Metric* visible = point.find("ttfo");
  const Metric* first = point.find("ttft");
  return visible && first && visible->mean > first->mean + kLeastDifference;
}

/// Whether the figure tells what no other row does.
bool belongs(const ComparedFigure& figure, const PointResult& point, bool models_differ) {
  if (figure.metric == "ttft_response" || figure.metric == "e2e_response")
    return point.load.open_loop || point.retries > 0;
  if (figure.metric == "ttfo") return reasons_first(point);
  if (figure.metric == "icl") return point.find("itl") == nullptr;
  if (figure.metric == "chars_per_second") return models_differ;
  return true;
}

/// So many independent requests have the spread that the runs had.
double worth_by_run(double share, const std::vector<Estimate>& runs) {
  const auto by_run = pool(runs, Scale::points);
  const double half = *by_run->bounds.high - by_run->value;
  return half > 0 ? share * (1 - share) * std::pow(kNormal / half, 2) : HUGE_VAL;
}

/// Of all requests of the runs: errors are so rare that few runs may agree by luck, and so much one run's
/// fate that its requests tell less than their number.
Estimate pooled_errors(std::span<const MeasuredPoint> runs, const std::vector<Estimate>& each) {
  double errors = 0, requests = 0, worth = 0;
  for (std::size_t i = 0; i < runs.size(); ++i) {
    const double own = static_cast<double>(runs[i].point->requests);
    errors += each[i].value * own;
    requests += own;
    worth += independent_requests(runs[i]);
  }
  const double share = errors / requests;
  return {share, wilson_share(share, std::min(worth, worth_by_run(share, each)))};
}

}  // namespace

std::vector<ComparedFigure> figures_to_compare(std::span<const MeasuredPoint> points, bool models_differ) {
  std::vector<ComparedFigure> out;
  for (const auto& figure : kFigures) {
    const bool told = std::ranges::any_of(points, [&](const MeasuredPoint& m) {
      return belongs(figure, *m.point, models_differ) && estimate(figure, m).has_value();
    });
    if (told) out.push_back(figure);
  }
  return out;
}

std::optional<Estimate> estimate(const ComparedFigure& figure, const MeasuredPoint& measured) {
  const PointResult& point = *measured.point;
  const auto value = value_of(figure, measured);
  const bool share_or_cost = figure.scale == Scale::points || figure.unit == "money";
  if (!value || (!share_or_cost && !point.has_figures())) return std::nullopt;
  if (!figure.statistic.empty()) return Estimate{*value, latency_bounds(figure, point)};
  return Estimate{*value, bounds_of(figure, *value, measured)};
}

std::vector<Estimate> estimates(const ComparedFigure& figure, std::span<const MeasuredPoint> runs) {
  std::vector<Estimate> out;
  for (const auto& run : runs) {
    if (const auto one = estimate(figure, run)) out.push_back(*one);
  }
  if (figure.metric == "error_rate" && out.size() > 1) return {pooled_errors(runs, out)};
  return out;
}

}  // namespace infermeter
