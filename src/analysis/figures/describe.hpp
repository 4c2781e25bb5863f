// Samples → Metric: count, moments, extremes, and mean and percentiles with their intervals; and every metric
// of a set of answers. One sort per metric. Pure; any thread.
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "analysis/figures/samples.hpp"
#include "infermeter/model/result.hpp"

namespace infermeter {

/// Of samples in order of intention, at least one. n_eff is that of the median. `counted`: see SampleRules.
Metric describe(const Figure& figure, const RequestSamples& in_order, bool counted = true,
                const SampleLayout& layout = {});

/// Of event-level samples, at least one. Mean and percentiles have intervals where `blocks_long_enough`: each
/// of the ten blocks of time lasts at least one mean E2E.
Metric describe_events(const Figure& figure, std::vector<WeightedSample> samples, bool blocks_long_enough);

/// One percentile of a figure with its interval.
Percentile describe_percentile(const Figure& figure, const PercentileSamples& samples, double percentile);

/// The same for sorted event-level samples; `total` is the sum of their weights.
Percentile describe_percentile(std::span<const WeightedSample> sorted, std::uint64_t total, double percentile,
                               bool blocks_long_enough);

struct MetricSet {
  std::vector<Metric> metrics;    // in the order of the catalogue; absent where there is no sample
  std::optional<double> comfort;  // share of tokens with itl within the limit
};

/// `answers` in order of intention.
MetricSet make_metrics(const Records& answers, const SampleRules& rules);

/// The server's own times, as "queue", "prefill", "decode", "ttft".
std::vector<Metric> make_server_metrics(const Records& answers, const SampleRules& rules);

}  // namespace infermeter
