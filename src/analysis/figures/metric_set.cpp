#include "analysis/figures/metric_set.hpp"

#include <array>
#include <utility>

#include "analysis/figures/describe.hpp"
#include "analysis/figures/samples.hpp"
#include "analysis/figures/text_speed.hpp"

namespace infermeter {

namespace {

using Metrics = std::vector<Metric>;

void add(Metrics& metrics, std::string_view name, std::string_view unit, std::vector<double> values) {
  if (!values.empty()) metrics.push_back(describe(name, unit, std::move(values)));
}

void add_request_metrics(Metrics& metrics, const Records& answers, bool stream,
                         std::span<const RequestMetric> wanted) {
  for (const auto& metric : wanted) {
    if (stream || !metric.streams_only) add(metrics, metric.name, "ms", collect(answers, metric));
  }
}

/// Its mean is pooled: the mean of rates would count a short answer as much as a long one.
void add_tps(Metrics& metrics, StreamSamples& streams, bool counted) {
  if (streams.tps.empty()) return;
  auto metric = describe("tps", counted ? "tokens/s" : "events/s", std::move(streams.tps), Tail::low);
  metric.mean = streams.tokens / streams.seconds;
  metrics.push_back(std::move(metric));
}

/// The mean is pooled for the same reason.
void add_text_speed(Metrics& metrics, const Records& answers) {
  std::vector<double> values;
  TextSpeed sum;
  for (const auto* record : answers) {
    const auto speed = text_speed(*record);
    if (!speed) continue;
    values.push_back(speed->chars / speed->seconds);
    sum.chars += speed->chars;
    sum.seconds += speed->seconds;
  }
  if (values.empty()) return;
  auto metric = describe("chars_per_second", "chars/s", std::move(values), Tail::low);
  metric.mean = sum.chars / sum.seconds;
  metrics.push_back(std::move(metric));
}

double share_within(const std::vector<WeightedSample>& samples, double limit) {
  std::uint64_t within = 0;
  for (const auto& sample : samples) within += sample.value <= limit ? sample.weight : 0;
  return static_cast<double>(within) / static_cast<double>(total_weight(samples));
}

/// With one token an event and no two at one instant, times per token are the gaps: one sort serves both.
bool are_plain_gaps(const std::vector<WeightedSample>& itl, const Metric* icl) {
  return icl && itl.size() == icl->count && total_weight(itl) == icl->count;
}

/// One vector of gaps at a time: with 10⁷ of them each takes 160 MB and a second to sort.
void add_gap_metrics(MetricSet& set, const Records& answers, double comfort_ms) {
  const TimeBlocks blocks(answers);
  const bool intervals = blocks.long_enough(answers);
  const Metric* gaps = nullptr;
  if (auto icl = collect_icl(answers, blocks); !icl.empty())
    gaps = &set.metrics.emplace_back(describe_events("icl", "ms", std::move(icl), intervals));
  auto itl = collect_itl(answers, blocks);
  if (itl.empty()) return;
  set.comfort = share_within(itl, comfort_ms);
  auto metric = are_plain_gaps(itl, gaps) ? *gaps : describe_events("itl", "ms", std::move(itl), intervals);
  metric.name = "itl";
  set.metrics.push_back(std::move(metric));
}

}  // namespace

MetricSet make_metrics(const Records& answers, const MetricRules& rules) {
  const bool counted = rules.token_source != "events";
  MetricSet set;
  auto& metrics = set.metrics;
  StreamSamples streams;
  if (rules.stream) streams = collect_streams(answers, counted);
  add_request_metrics(metrics, answers, rules.stream, metrics_to_first_token());
  add(metrics, "ttst", "ms", std::move(streams.ttst));
  if (rules.stream) add_gap_metrics(set, answers, rules.comfort_ms);
  add(metrics, "tpot", "ms", std::move(streams.tpot));
  add_tps(metrics, streams, counted);
  if (rules.stream) add_text_speed(metrics, answers);
  add_request_metrics(metrics, answers, rules.stream, metrics_to_end());
  add(metrics, "max_gap", "ms", std::move(streams.max_gap));
  add(metrics, "stalls", "count", std::move(streams.stalls));
  return set;
}

std::vector<Metric> make_server_metrics(const Records& answers) {
  std::vector<Metric> out;
  for (const auto& [name, time] : kServerTimes) add(out, name, "ms", collect_server_times(answers, time));
  return out;
}

}  // namespace infermeter
