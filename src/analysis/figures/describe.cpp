#include "analysis/figures/describe.hpp"

#include <algorithm>
#include <cmath>

#include "analysis/statistics/intervals.hpp"

namespace infermeter {

namespace {

constexpr double kRounding = 1e-9;  // relative; what is nearer than this is equal

/// Standard deviation (n − 1) of values that stand there `weight` times, about their own mean; in two passes
/// for accuracy.
template <typename Samples, typename Value, typename Weight>
double deviation(const Samples& samples, Value value, Weight weight) {
  double count = 0, sum = 0, squares = 0;
  for (const auto& sample : samples) {
    count += weight(sample);
    sum += weight(sample) * value(sample);
  }
  for (const auto& sample : samples) squares += weight(sample) * std::pow(value(sample) - sum / count, 2);
  return count > 1 ? std::sqrt(squares / (count - 1)) : 0;
}

double deviation(const std::vector<double>& values) {
  return deviation(values, [](double v) { return v; }, [](double) { return 1.0; });
}

double deviation(const std::vector<WeightedSample>& samples) {
  return deviation(
      samples, [](const auto& s) { return s.value; },
      [](const auto& s) { return static_cast<double>(s.weight); });
}

using MeanBlocks = std::array<RatioBlock, kBlocks>;

MeanBlocks blocks_of(const RequestSamples& in_order) {
  MeanBlocks blocks;
  for (std::size_t b = 0; b < kBlocks; ++b) {
    for (std::size_t i = b * in_order.size() / kBlocks; i < (b + 1) * in_order.size() / kBlocks; ++i) {
      blocks[b].above += in_order[i].above;
      blocks[b].below += in_order[i].below;
    }
  }
  return blocks;
}

MeanBlocks blocks_of(const std::vector<WeightedSample>& events) {
  MeanBlocks blocks;
  for (const auto& event : events) {
    blocks[event.block].above += event.value * event.weight;
    blocks[event.block].below += event.weight;
  }
  return blocks;
}

double mean_of(const MeanBlocks& blocks) {
  double above = 0, below = 0;
  for (const auto& block : blocks) {
    above += block.above;
    below += block.below;
  }
  return above / below;
}

void add_mean_bounds(const MeanBlocks& blocks, Metric& metric) {
  const double independent = metric.stddev / std::sqrt(static_cast<double>(metric.count));
  const auto bounds = block_mean_bounds(blocks, independent);
  metric.mean_low = bounds.low;
  metric.mean_high = bounds.high;
}

/// None where the blocks vary so much that they are worth fewer than 30 independent samples, as for
/// percentiles.
void drop_unsure_bounds(Metric& metric) {
  if (!metric.mean_high) return;
  const double half = (*metric.mean_high - *metric.mean_low) / 2;
  const bool spread = half > kRounding * std::abs(metric.mean);
  const double n_eff =
      spread ? std::pow(kNormal * metric.stddev / half, 2) : static_cast<double>(metric.count);
  if (n_eff >= kFewestEffective) return;
  metric.mean_low.reset();
  metric.mean_high.reset();
}

Metric named_metric(const Figure& figure, bool counted) {
  Metric metric;
  metric.name = figure.name;
  metric.unit = name(figure.unit);
  if (figure.unit == FigureUnit::tokens_per_second && !counted) metric.unit = "events/s";
  metric.low_tail = figure.low_tail;
  return metric;
}

}  // namespace

Metric describe(const Figure& figure, const RequestSamples& in_order, bool counted) {
  Metric metric = named_metric(figure, counted);
  const auto values = values_of(in_order);
  auto sorted = values;
  std::ranges::sort(sorted);
  const auto blocks = blocks_of(in_order);
  metric.count = sorted.size();
  metric.mean = mean_of(blocks);
  metric.stddev = deviation(values);
  metric.min = sorted.front();
  metric.max = sorted.back();
  add_mean_bounds(blocks, metric);
  drop_unsure_bounds(metric);
  for (const double percentile : percentiles_of(figure)) {
    metric.percentiles.push_back(describe_percentile(values, sorted, percentile));
    if (percentile == 50) metric.n_eff = effective_samples(values, metric.percentiles.back().value);
  }
  return metric;
}

Metric describe_events(const Figure& figure, std::vector<WeightedSample> samples, bool blocks_long_enough) {
  Metric metric = named_metric(figure, true);
  const auto blocks = blocks_of(samples);
  metric.count = total_weight(samples);
  metric.mean = mean_of(blocks);
  metric.stddev = deviation(samples);
  if (blocks_long_enough && metric.count >= kFewestEvents) add_mean_bounds(blocks, metric);
  std::ranges::sort(samples, {}, &WeightedSample::value);
  metric.min = samples.front().value;
  metric.max = samples.back().value;
  for (const double percentile : percentiles_of(figure)) {
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
