#include "analysis/figures/estimate.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "analysis/figures/counts.hpp"
#include "analysis/figures/describe.hpp"
#include "analysis/figures/in_flight.hpp"
#include "analysis/figures/throughput.hpp"
#include "analysis/runs/run_records.hpp"
#include "analysis/statistics/intervals.hpp"

namespace infermeter {

namespace {

std::optional<Percentile> make_percentile(const Figure& figure, double percentile, const FigurePlace& place) {
  if (figure.has_gaps()) {
    const TimeBlocks blocks(place.answers);
    auto gaps = collect_gaps(place.answers, figure, blocks);
    if (gaps.empty()) return std::nullopt;
    std::ranges::sort(gaps, {}, &WeightedSample::value);
    return describe_percentile(gaps, total_weight(gaps), percentile, blocks.long_enough(place.answers));
  }
  const auto samples = percentile_samples(figure, place);
  return samples ? std::optional(describe_percentile(figure, *samples, percentile)) : std::nullopt;
}

ErrorBounds bounds_of_share(double share, double n_eff) {
  const auto bounds = wilson_share(share, n_eff);
  return {n_eff, bounds.low.value_or(0), bounds.high.value_or(1)};
}

double tokens_per_uncounted_event(const PointResult& point) {
  return point.tokens_per_event > 0 ? point.tokens_per_event : 1;
}

void add_rate_bounds(const Records& records, const Window& window, double tokens_per_event, Rates& rates) {
  const auto again = infermeter::rates(records, window, tokens_per_event);
  rates.request_half_width = again.request_half_width;
  rates.input_half_width = again.input_half_width;
  rates.total_half_width = again.total_half_width;
  if (!rates.output_half_width) rates.output_half_width = again.output_half_width;
}

void take_mean_bounds(const std::vector<Metric>& again, std::vector<Metric>& metrics) {
  for (auto& metric : metrics) {
    const auto it = std::ranges::find(again, metric.name, &Metric::name);
    if (metric.mean_low || it == again.end()) continue;
    metric.mean_low = it->mean_low;
    metric.mean_high = it->mean_high;
  }
}

std::optional<Window> steady_part(const PointResult& point) {
  if (!point.steady) return std::nullopt;
  return Window{std::llround(point.steady_from_s * 1e6), std::llround(point.steady_to_s * 1e6)};
}

std::optional<Window> whole_rates_window(const PointResult& point, const Records& measured) {
  return point.load.in_blocks ? std::nullopt : whole_window(point.load, measured);
}

/// Results of this version have them wherever a request was measured.
bool has_bounds(const PointResult& point) { return point.errors.has_value() || point.requests == 0; }

}  // namespace

const Rates& FigurePlace::rates() const {
  const auto& of = figures();
  return whole_rates ? of.whole : of.rates();
}

SampleRules FigurePlace::rules() const {
  return sample_rules(figures().load, figures().token_source, in_flight);
}

FigurePlace figure_place(const PointResult& point, const Records* all, bool whole_rates) {
  FigurePlace place;
  place.point = &point;
  place.whole_rates = whole_rates;
  if (all) place.all = *all;
  place.measured = only_measured(place.all);
  place.answers = timed_of_load(place.measured, point.load.classes);
  place.in_flight = mean_in_flight_of(point.load, place.measured);
  if (!has_bounds(point)) add_bounds(place.made.emplace(point), place.all);
  return place;
}

Estimate estimate(const Figure& figure, std::string_view statistic, const FigurePlace& place) {
  auto out = estimate_of(place.figures(), figure, statistic, place.whole_rates);
  const auto percentile = percentile_of(statistic);
  const auto* metric = figure.is_distribution() ? find_distribution(place.figures(), figure) : nullptr;
  if (out.value || !percentile || !metric) return out;
  const auto made = make_percentile(figure, *percentile, place);
  if (!made) return out;
  return {
      .value = made->value, .low = made->low, .high = made->high, .samples = metric->count, .why_not = {}};
}

std::optional<PercentileSamples> percentile_samples(const Figure& figure, const FigurePlace& place) {
  const Figure* const one[]{&figure};
  const auto laid_out = std::move(collect_in_layout(place.answers, one, place.rules()).front());
  if (laid_out.samples.empty()) return std::nullopt;
  return PercentileSamples(values_of(laid_out.samples), laid_out.layout);
}

ErrorBounds error_bounds(const Records& measured) {
  std::vector<double> errors;  // 1: failed
  for (const auto* record : measured) errors.push_back(is_error(record->outcome, record->status) ? 1 : 0);
  const auto failed = std::ranges::count(errors, 1.0);
  return bounds_of_share(static_cast<double>(failed) / static_cast<double>(errors.size()),
                         effective_samples(errors, 0));
}

void add_bounds(PointResult& point, const Records& all) {
  const auto measured = only_measured(all);
  if (!measured.empty()) {
    point.errors = error_bounds(measured);
  } else if (point.requests > 0) {
    const auto share = estimate_of(point, *find_figure("error_rate")).value;
    point.errors = bounds_of_share(*share, static_cast<double>(point.requests));
  }
  if (measured.empty()) return;
  const double per_event = tokens_per_uncounted_event(point);
  if (const auto window = whole_rates_window(point, measured))
    add_rate_bounds(all, *window, per_event, point.whole);
  if (const auto window = steady_part(point)) add_rate_bounds(all, *window, per_event, *point.steady);
  const auto answers = timed_of_load(measured, point.load.classes);
  const auto rules = sample_rules(point.load, point.token_source, mean_in_flight_of(point.load, measured));
  take_mean_bounds(make_metrics(answers, rules).metrics, point.metrics);
  take_mean_bounds(make_server_metrics(answers, rules), point.server_metrics);
}

std::optional<Window> rates_window(const PointResult& point, const Records& measured) {
  const auto steady = steady_part(point);
  return steady ? steady : whole_rates_window(point, measured);
}

PointResult class_as_point(const PointResult& point, const Slice& slice, const Records& all,
                           const Records& answers, const std::optional<Window>& window) {
  PointResult out;
  out.point = point.point;
  out.target = point.target;
  out.load = point.load;
  out.requests = slice.requests;
  out.ok = slice.ok;
  out.outcomes = slice.outcomes;
  out.metrics = slice.metrics;
  out.slo = slice.slo;
  out.tokens_per_event = point.tokens_per_event;
  out.token_source = token_source_of(answers);
  const auto& checks = point.validity.checks;
  const auto speed = std::ranges::find(checks, CheckKind::speed, &Check::kind);  // why it may have no TPOT
  if (speed != checks.end()) out.validity.checks.push_back(*speed);
  const auto measured = only_measured(all);
  out.server_metrics = make_server_metrics(
      answers, sample_rules(point.load, out.token_source, mean_in_flight_while_busy(measured)));
  if (!measured.empty()) out.errors = error_bounds(measured);
  // A class has its rates over the same window as the point.
  if (window) out.whole = rates(all, *window, tokens_per_uncounted_event(point));
  out.whole.window_s = point.rates().window_s;
  out.whole.request = slice.request_throughput;
  out.whole.output = slice.output_throughput;
  return out;
}

}  // namespace infermeter
