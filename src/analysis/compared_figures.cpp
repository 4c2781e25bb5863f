#include "compared_figures.hpp"

#include <algorithm>
#include <array>
#include <cmath>

#include "infermeter/analysis/thresholds.hpp"

namespace infermeter {

namespace {

/// What nobody would act upon: METHOD's smallest effects of a gate, a little below.
constexpr double kOfP95 = 0.05, kOfP99 = 0.10, kOfShares = 0.01;
constexpr double kNormal = 1.96;
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

/// Over the steady window, or over the whole run where the other side has none.
const Rates& rates_of(const MeasuredPoint& measured) {
  const PointResult& point = *measured.point;
  return point.steady && !measured.whole_rates ? *point.steady : point.whole;
}

std::optional<double> value_of(const ComparedFigure& figure, const MeasuredPoint& measured) {
  const bool output = figure.metric == "output_throughput", requests = figure.metric == "request_throughput";
  if (!output && !requests) return value_of(figure, *measured.point);
  const Rates& rates = rates_of(measured);
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

std::size_t block_of(std::int64_t at_us, std::int64_t from_us, std::int64_t to_us) {
  return static_cast<std::size_t>((at_us - from_us - 1) * std::int64_t{kBlocks} / (to_us - from_us));
}

/// Of the good answers a second, by ten blocks of the steady window; nothing without one, or where the target
/// had only its turns of it.
std::optional<double> request_half_width(const MeasuredPoint& measured) {
  const PointResult& point = *measured.point;
  if (!point.steady || measured.whole_rates || point.load.in_turns) return std::nullopt;
  const auto from = std::llround(point.steady_from_s * 1e6), to = std::llround(point.steady_to_s * 1e6);
  std::array<double, kBlocks> blocks{};
  bool any = false;
  for (const auto& record : measured.records) {
    const bool own = record.point == point.point && record.target == point.target;
    if (!own || record.outcome != Outcome::ok || !record.end_us) continue;
    if (*record.end_us <= from || *record.end_us > to) continue;
    ++blocks[block_of(*record.end_us, from, to)];
    any = true;
  }
  if (!any) return std::nullopt;
  return block_half_width(blocks) * kBlocks / (static_cast<double>(to - from) / 1e6);
}

Bounds around(double value, std::optional<double> half) {
  return half ? Bounds{value - *half, value + *half} : Bounds{};
}

/// A rate of good answers times the share of them that met the SLOs: both may be off, on their own.
Bounds goodput_bounds(double value, const MeasuredPoint& measured) {
  const auto& slo = measured.point->slo;
  const auto half = request_half_width(measured);
  const auto requests = value_of(rate("request_throughput", ""), measured);
  if (!slo || !half || !requests || *requests <= *half || slo->attainment <= 0 || slo->low <= 0) return {};
  const double below = std::hypot(std::log(slo->attainment / slo->low), -std::log1p(-*half / *requests));
  const double above = std::hypot(std::log(slo->high / slo->attainment), std::log1p(*half / *requests));
  return {value * std::exp(-below), value * std::exp(above)};
}

/// Paid by the hour, an answer costs what its share of the time costs; by tokens it is counted.
Bounds cost_bounds(double value, const MeasuredPoint& measured) {
  if (measured.point->cost->source != "per_hour") return {value, value};
  const auto requests = value_of(rate("request_throughput", ""), measured);
  const auto half = request_half_width(measured);
  if (!requests || !half || *half >= *requests) return {};
  return {value / (1 + *half / *requests), value / (1 - *half / *requests)};
}

Bounds single_bounds(const ComparedFigure& figure, double value, const MeasuredPoint& measured) {
  const PointResult& point = *measured.point;
  if (figure.metric == "output_throughput") return around(value, rates_of(measured).output_half_width);
  if (figure.metric == "request_throughput" || figure.metric == "item_throughput") {
    const auto requests = value_of(rate("request_throughput", ""), measured);
    const auto half = request_half_width(measured);
    if (!half || !requests || *requests <= 0) return {};
    return around(value, *half / *requests * value);
  }
  if (figure.metric == "goodput") return goodput_bounds(value, measured);
  if (figure.metric == "slo_attainment") return {point.slo->low, point.slo->high};
  if (figure.metric == "error_rate") return wilson_share(value, static_cast<double>(point.requests));
  return cost_bounds(value, measured);
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

/// Of all requests of the runs: errors are rare, so that their share varies too little between few runs to
/// tell by how much it would.
Estimate pooled_errors(std::span<const MeasuredPoint> runs, const ComparedFigure& figure) {
  double errors = 0, requests = 0;
  for (const auto& run : runs) {
    const double own = static_cast<double>(run.point->requests);
    errors += value_of(figure, *run.point).value_or(0) * own;
    requests += own;
  }
  return {errors / requests, wilson_share(errors / requests, requests)};
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
  return Estimate{*value, single_bounds(figure, *value, measured)};
}

std::vector<Estimate> estimates(const ComparedFigure& figure, std::span<const MeasuredPoint> runs) {
  std::vector<Estimate> out;
  for (const auto& run : runs) {
    if (const auto one = estimate(figure, run)) out.push_back(*one);
  }
  if (figure.metric == "error_rate" && out.size() > 1) return {pooled_errors(runs, figure)};
  return out;
}

}  // namespace infermeter
