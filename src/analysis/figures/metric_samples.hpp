// The samples behind one metric, by its name: what an assertion needs beyond the figures of a result. Pure;
// any thread.
#pragma once

#include <array>
#include <string_view>
#include <vector>

#include "analysis/figures/metric_set.hpp"
#include "analysis/figures/samples.hpp"
#include "analysis/statistics/intervals.hpp"

namespace infermeter {

struct MetricSamples {
  std::vector<double> in_order;        // one a request (or choice), in order of intention
  std::vector<WeightedSample> events;  // of itl and icl instead
  bool blocks_long_enough = false;     // … whose ten blocks of time are worth an interval
  bool empty() const { return in_order.empty() && events.empty(); }
};

/// `answers` in order of intention, as for make_metrics. Empty where the metric has no sample or no name.
MetricSamples collect_metric(std::string_view metric, const Records& answers, const MetricRules& rules);

/// Its mean by ten blocks (of answers; of time for itl and icl), each as a sum of what is counted and of what
/// it is divided by: tokens and seconds for tps, whose mean is pooled.
using MeanBlocks = std::array<RatioBlock, kBlocks>;
MeanBlocks collect_mean_blocks(std::string_view metric, const Records& answers, const MetricRules& rules);

}  // namespace infermeter
