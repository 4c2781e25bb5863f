#include "analysis/assertions/single_bounds.hpp"

#include <algorithm>
#include <cmath>

#include "analysis/figures/throughput.hpp"
#include "analysis/runs/run_places.hpp"

namespace infermeter {

namespace {

std::optional<Window> rates_window(const MeasuredPoint& measured) {
  const PointResult& point = *measured.point;
  if (!measured.records || point.load.in_turns) return std::nullopt;
  if (!measured.steady()) return whole_window(only_measured(*measured.records));
  return Window{std::llround(point.steady_from_s * 1e6), std::llround(point.steady_to_s * 1e6)};
}

/// Over the whole run the warm-up's answers do not count, wherever they end.
Records counted(const MeasuredPoint& measured) {
  Records out = *measured.records;
  if (!measured.steady()) std::erase_if(out, [](const auto* r) { return r->phase == Phase::warmup; });
  return out;
}

std::optional<double> half_width(Counted what, const MeasuredPoint& measured) {
  const double per_event = measured.point->tokens_per_event;
  if (!measured.window) return std::nullopt;
  return rate_half_width(what, counted(measured), *measured.window, per_event > 0 ? per_event : 1);
}

/// Half width over the rate.
std::optional<double> relative(std::optional<double> half, double rate) {
  return half && rate > 0 ? std::optional(*half / rate) : std::nullopt;
}

std::optional<double> of_requests(const MeasuredPoint& measured) {
  return relative(half_width(Counted::requests, measured), measured.rates().request);
}

std::optional<double> of_output(const MeasuredPoint& measured) {
  const Rates& rates = measured.rates();
  const auto known = rates.output_half_width;
  return relative(known ? known : half_width(Counted::output_tokens, measured), rates.output);
}

std::optional<double> of_rate(std::string_view metric, const MeasuredPoint& measured) {
  const Rates& rates = measured.rates();
  if (metric == "request_throughput" || metric == "item_throughput") return of_requests(measured);
  if (metric == "output_throughput" || metric == "output_per_gpu") return of_output(measured);
  if (metric == "input_throughput")
    return relative(half_width(Counted::prompt_tokens, measured), rates.input);
  if (metric == "total_throughput") return relative(half_width(Counted::all_tokens, measured), rates.total);
  return std::nullopt;
}

/// A rate of good answers times the share of them that met the SLOs: both may be off, on their own.
Bounds goodput_bounds(double value, const MeasuredPoint& measured) {
  const auto& slo = measured.point->slo;
  const auto off = of_requests(measured);
  if (!slo || !off || *off >= 1 || slo->attainment <= 0 || slo->low <= 0) return {};
  const double below = std::hypot(std::log(slo->attainment / slo->low), -std::log1p(-*off));
  const double above = std::hypot(std::log(slo->high / slo->attainment), std::log1p(*off));
  return {value * std::exp(-below), value * std::exp(above)};
}

/// Paid by the hour, an answer costs what its share of the time costs; by tokens it is counted.
Bounds cost_bounds(double value, const MeasuredPoint& measured) {
  const auto& cost = measured.point->cost;
  const auto off = of_requests(measured);
  if (!cost || cost->source != "per_hour" || !off || *off >= 1) return {};
  return {value / (1 + *off), value / (1 - *off)};
}

}  // namespace

MeasuredPoint measured_point(const PointResult& point, const Records* records, bool whole_rates) {
  MeasuredPoint out{.point = &point, .records = records, .whole_rates = whole_rates, .window = {}};
  out.window = rates_window(out);
  return out;
}

Bounds single_bounds(std::string_view metric, double value, const MeasuredPoint& measured) {
  const auto& slo = measured.point->slo;
  if (metric == "error_rate") return wilson_share(value, independent_requests(measured));
  if (metric == "slo_attainment" && slo) return {slo->low, slo->high};
  if (metric == "goodput") return goodput_bounds(value, measured);
  if (metric == "cost_per_1k") return cost_bounds(value, measured);
  const auto off = of_rate(metric, measured);
  return off ? Bounds{value - *off * value, value + *off * value} : Bounds{};
}

double independent_requests(const MeasuredPoint& measured) {
  std::vector<double> errors;  // 1: failed
  if (measured.records) {
    for (const auto* record : only_measured(*measured.records))
      errors.push_back(is_error(record->outcome, record->status) ? 1 : 0);
  }
  return errors.empty() ? static_cast<double>(measured.point->requests) : effective_samples(errors, 0);
}

}  // namespace infermeter
