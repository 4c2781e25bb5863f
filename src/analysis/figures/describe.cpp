#include "analysis/figures/describe.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "analysis/figures/percentile_needs.hpp"
#include "analysis/statistics/intervals.hpp"
#include "analysis/statistics/spread.hpp"

namespace infermeter {

namespace {

constexpr double kRounding = 1e-9;  // relative; values nearer than this are equal

/// Standard deviation (n − 1) of values that each occur `weight` times; in two passes for accuracy.
double spread_of(const std::vector<WeightedSample>& samples, double mean) {
  double count = 0, squares = 0;
  for (const auto& sample : samples) {
    count += sample.weight;
    squares += sample.weight * std::pow(sample.value - mean, 2);
  }
  return count > 1 ? std::sqrt(squares / (count - 1)) : 0;
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

double ratio_of(const MeanBlocks& blocks) {
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

/// None where the blocks vary so much that they are worth fewer than 30 independent samples; the same rule as
/// for percentiles.
void drop_unsure_bounds(Metric& metric) {
  if (!metric.mean_high) return;
  const double half = (*metric.mean_high - *metric.mean_low) / 2;
  const bool varies = half > kRounding * std::abs(metric.mean);
  const double n_eff =
      varies ? std::pow(kNormal * metric.stddev / half, 2) : static_cast<double>(metric.count);
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

double share_within(const std::vector<WeightedSample>& samples, double limit) {
  std::uint64_t within = 0;
  for (const auto& sample : samples) within += sample.value <= limit ? sample.weight : 0;
  return static_cast<double>(within) / static_cast<double>(total_weight(samples));
}

/// With one token per event and no two events at one instant, times per token are the gaps: one sort serves
/// both.
const Metric* equal_gaps(const std::vector<WeightedSample>& itl, const std::vector<Metric>& metrics) {
  const auto icl = std::ranges::find(metrics, "icl", &Metric::name);
  const bool plain = icl != metrics.end() && itl.size() == icl->count && total_weight(itl) == icl->count;
  return plain ? &*icl : nullptr;
}

/// One vector of gaps at a time: with 10⁷ of them each takes 160 MB and a second to sort.
void add_gaps(const Figure& figure, const Records& answers, const SampleRules& rules, MetricSet& set) {
  const TimeBlocks blocks(answers);
  auto samples = collect_gaps(answers, figure, blocks);
  if (samples.empty()) return;
  if (figure.level == FigureLevel::token) {
    set.comfort = share_within(samples, rules.comfort_ms);
    if (const auto* gaps = equal_gaps(samples, set.metrics)) {
      auto metric = *gaps;
      metric.name = figure.name;
      set.metrics.push_back(std::move(metric));
      return;
    }
  }
  set.metrics.push_back(describe_events(figure, std::move(samples), blocks.long_enough(answers)));
}

std::vector<const Figure*> request_figures_by_server(bool by_server) {
  std::vector<const Figure*> out;
  for (const auto& figure : known_figures()) {
    if (figure.of_request && figure.by_server == by_server) out.push_back(&figure);
  }
  return out;
}

}  // namespace

Metric describe(const Figure& figure, const RequestSamples& in_order, bool counted,
                const SampleLayout& layout) {
  Metric metric = named_metric(figure, counted);
  const auto values = values_of(in_order);
  const PercentileSamples samples(values, layout);
  const auto blocks = blocks_of(in_order);
  metric.count = values.size();
  metric.mean = ratio_of(blocks);
  metric.stddev = spread(values);
  metric.min = samples.sorted().front();
  metric.max = samples.sorted().back();
  metric.n_eff = samples.n_eff(0.5);
  add_mean_bounds(blocks, metric);
  drop_unsure_bounds(metric);
  const double answers = static_cast<double>(values.size()) / layout.per_answer;
  for (const double percentile : percentiles_of(figure)) {
    auto& one = metric.percentiles.emplace_back(describe_percentile(figure, samples, percentile));
    if (figure.headline) one.needed = requests_to_narrow(samples, one, figure.low_tail, answers);
  }
  return metric;
}

Metric describe_events(const Figure& figure, std::vector<WeightedSample> samples, bool blocks_long_enough) {
  Metric metric = named_metric(figure, true);
  const auto blocks = blocks_of(samples);
  metric.count = total_weight(samples);
  metric.mean = ratio_of(blocks);
  metric.stddev = spread_of(samples, metric.mean);
  if (blocks_long_enough && metric.count >= kFewestEvents) add_mean_bounds(blocks, metric);
  std::ranges::sort(samples, {}, &WeightedSample::value);
  metric.min = samples.front().value;
  metric.max = samples.back().value;
  for (const double percentile : percentiles_of(figure)) {
    metric.percentiles.push_back(describe_percentile(samples, metric.count, percentile, blocks_long_enough));
  }
  return metric;
}

Percentile describe_percentile(const Figure& figure, const PercentileSamples& samples, double percentile) {
  const double q = percentile / 100;
  const auto bounds = samples.bounds(q, figure.low_tail);
  return {percentile, samples.quantile(q), bounds.low, bounds.high, {}};
}

Percentile describe_percentile(std::span<const WeightedSample> sorted, std::uint64_t total, double percentile,
                               bool blocks_long_enough) {
  const double q = percentile / 100, value = quantile(sorted, total, q);
  const auto bounds = blocks_long_enough ? time_block_bounds(sorted, total, q, value) : Bounds{};
  return {percentile, value, bounds.low, bounds.high, {}};
}

MetricSet make_metrics(const Records& answers, const SampleRules& rules) {
  const auto figures = request_figures_by_server(false);
  const auto samples = collect_in_layout(answers, figures, rules);
  MetricSet set;
  std::size_t next = 0;
  for (const auto& figure : known_figures()) {
    if (figure.has_gaps() && rules.stream) add_gaps(figure, answers, rules, set);
    if (next == figures.size() || figures[next] != &figure) continue;
    const auto& [own, layout] = samples[next++];
    if (!own.empty()) set.metrics.push_back(describe(figure, own, rules.counted, layout));
  }
  return set;
}

std::vector<Metric> make_server_metrics(const Records& answers, const SampleRules& rules) {
  constexpr std::string_view kServer = "server_";
  const auto figures = request_figures_by_server(true);
  const auto samples = collect_in_layout(answers, figures, rules);
  std::vector<Metric> out;
  for (std::size_t i = 0; i < figures.size(); ++i) {
    if (samples[i].samples.empty()) continue;
    out.push_back(describe(*figures[i], samples[i].samples, true, samples[i].layout));
    out.back().name = figures[i]->name.substr(kServer.size());
  }
  return out;
}

}  // namespace infermeter
