#include "analysis/figures/describe.hpp"

#include <algorithm>
#include <array>
#include <cmath>

#include "analysis/statistics/intervals.hpp"

namespace infermeter {

namespace {

constexpr std::array kHighTail{50.0, 90.0, 95.0, 99.0, 99.9};
constexpr std::array kLowTail{50.0, 10.0, 5.0, 1.0};

std::span<const double> percentiles(Tail tail) {
  if (tail == Tail::low) return kLowTail;
  return kHighTail;
}

/// Mean and standard deviation (n − 1) of values that stand there `weight` times, in two passes for accuracy.
struct Moments {
  double mean = 0, stddev = 0;
};

template <typename Samples, typename Value, typename Weight>
Moments moments(const Samples& samples, Value value, Weight weight) {
  double count = 0, sum = 0, squares = 0;
  for (const auto& sample : samples) {
    count += weight(sample);
    sum += weight(sample) * value(sample);
  }
  const double mean = sum / count;
  for (const auto& sample : samples) squares += weight(sample) * std::pow(value(sample) - mean, 2);
  return {mean, count > 1 ? std::sqrt(squares / (count - 1)) : 0};
}

Moments moments(const std::vector<double>& values) {
  return moments(values, [](double v) { return v; }, [](double) { return 1.0; });
}

Moments moments(const std::vector<WeightedSample>& samples) {
  return moments(
      samples, [](const auto& s) { return s.value; },
      [](const auto& s) { return static_cast<double>(s.weight); });
}

Metric named_metric(std::string_view name, std::string_view unit, Moments of) {
  Metric metric;
  metric.name = name;
  metric.unit = unit;
  metric.mean = of.mean;
  metric.stddev = of.stddev;
  return metric;
}

}  // namespace

Metric describe(std::string_view name, std::string_view unit, std::vector<double> in_order, Tail tail) {
  Metric metric = named_metric(name, unit, moments(in_order));
  auto sorted = in_order;
  std::ranges::sort(sorted);
  metric.count = sorted.size();
  metric.min = sorted.front();
  metric.max = sorted.back();
  metric.low_tail = tail == Tail::low;
  for (const double percentile : percentiles(tail)) {
    metric.percentiles.push_back(describe_percentile(in_order, sorted, percentile));
    if (percentile == 50) metric.n_eff = effective_samples(in_order, metric.percentiles.back().value);
  }
  return metric;
}

Metric describe_events(std::string_view name, std::string_view unit, std::vector<WeightedSample> samples,
                       bool blocks_long_enough) {
  Metric metric = named_metric(name, unit, moments(samples));
  std::ranges::sort(samples, {}, &WeightedSample::value);
  metric.count = total_weight(samples);
  metric.min = samples.front().value;
  metric.max = samples.back().value;
  for (const double percentile : percentiles(Tail::high)) {
    metric.percentiles.push_back(describe_percentile(samples, metric.count, percentile, blocks_long_enough));
  }
  return metric;
}

Percentile describe_percentile(std::span<const double> in_order, std::span<const double> sorted,
                               double percentile) {
  const double q = percentile / 100, value = quantile(sorted, q);
  const auto bounds = order_statistic_bounds(sorted, q, effective_samples(in_order, value));
  return {percentile, value, bounds.low, bounds.high};
}

Percentile describe_percentile(std::span<const WeightedSample> sorted, std::uint64_t total, double percentile,
                               bool blocks_long_enough) {
  const double q = percentile / 100, value = quantile(sorted, total, q);
  const auto bounds = blocks_long_enough ? time_block_bounds(sorted, total, q, value) : Bounds{};
  return {percentile, value, bounds.low, bounds.high};
}

}  // namespace infermeter
