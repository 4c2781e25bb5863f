#include "analysis/figures/metric_samples.hpp"

#include <algorithm>

#include "analysis/figures/text_speed.hpp"

namespace infermeter {

namespace {

constexpr std::string_view kServer = "server_";

bool is_of_events(std::string_view metric) { return metric == "itl" || metric == "icl"; }

bool is_counted(const MetricRules& rules) { return rules.token_source != "events"; }

const RequestMetric* find_request_metric(std::string_view name) {
  for (const auto metrics : {metrics_to_first_token(), metrics_of_text(), metrics_to_end()}) {
    const auto it = std::ranges::find(metrics, name, &RequestMetric::name);
    if (it != metrics.end()) return &*it;
  }
  return nullptr;
}

std::vector<double> collect_of_streams(std::string_view metric, const Records& answers,
                                       const MetricRules& rules) {
  auto streams = collect_streams(answers, is_counted(rules));
  if (metric == "ttst") return std::move(streams.ttst);
  if (metric == "tpot") return std::move(streams.tpot);
  if (metric == "tps") return std::move(streams.tps);
  if (metric == "max_gap") return std::move(streams.max_gap);
  return metric == "stalls" ? std::move(streams.stalls) : std::vector<double>{};
}

std::vector<double> collect_in_order(std::string_view metric, const Records& answers,
                                     const MetricRules& rules) {
  if (metric.starts_with(kServer)) {
    const auto it = std::ranges::find(kServerTimes, metric.substr(kServer.size()),
                                      [](const auto& named) { return named.first; });
    return it == kServerTimes.end() ? std::vector<double>{} : collect_server_times(answers, it->second);
  }
  if (const auto* of_request = find_request_metric(metric)) {
    if (of_request->streams_only && !rules.stream) return {};
    return collect(answers, *of_request);
  }
  return rules.stream ? collect_of_streams(metric, answers, rules) : std::vector<double>{};
}

/// Of one block: what the mean is made of.
RatioBlock sum_of(std::string_view metric, const Records& part, const MetricRules& rules) {
  RatioBlock sum;
  if (metric == "tps") {
    const auto streams = collect_streams(part, is_counted(rules));
    return {streams.tokens, streams.seconds};
  }
  if (metric == "chars_per_second") {
    for (const auto* record : part) {
      const auto speed = text_speed(*record);
      if (!speed) continue;
      sum.above += speed->chars;
      sum.below += speed->seconds;
    }
    return sum;
  }
  for (const double value : collect_in_order(metric, part, rules)) {
    sum.above += value;
    sum.below += 1;
  }
  return sum;
}

MeanBlocks blocks_of_events(const std::vector<WeightedSample>& events) {
  MeanBlocks blocks;
  for (const auto& event : events) {
    blocks[event.block].above += event.value * event.weight;
    blocks[event.block].below += event.weight;
  }
  return blocks;
}

Records part_of(const Records& records, std::size_t block) {
  const auto edge = [&](std::size_t b) {
    return records.begin() + static_cast<std::ptrdiff_t>(b * records.size() / kBlocks);
  };
  return {edge(block), edge(block + 1)};
}

}  // namespace

MetricSamples collect_metric(std::string_view metric, const Records& answers, const MetricRules& rules) {
  MetricSamples samples;
  if (!is_of_events(metric)) {
    samples.in_order = collect_in_order(metric, answers, rules);
    return samples;
  }
  if (!rules.stream) return samples;
  const TimeBlocks blocks(answers);
  samples.events = metric == "itl" ? collect_itl(answers, blocks) : collect_icl(answers, blocks);
  samples.blocks_long_enough = blocks.long_enough(answers);
  return samples;
}

MeanBlocks collect_mean_blocks(std::string_view metric, const Records& answers, const MetricRules& rules) {
  if (is_of_events(metric)) return blocks_of_events(collect_metric(metric, answers, rules).events);
  MeanBlocks blocks;
  for (std::size_t b = 0; b < kBlocks; ++b) blocks[b] = sum_of(metric, part_of(answers, b), rules);
  return blocks;
}

}  // namespace infermeter
