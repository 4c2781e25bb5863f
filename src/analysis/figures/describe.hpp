// Samples → Metric: count, moments, extremes and percentiles with their intervals. One sort a metric. Pure;
// any thread.
#pragma once

#include <span>
#include <string_view>
#include <vector>

#include "analysis/statistics/quantiles.hpp"
#include "infermeter/model/result.hpp"

namespace infermeter {

/// Where the bad end is: percentiles 50, 90, 95, 99, 99.9, or for rates 50, 10, 5, 1.
enum class Tail { high, low };

/// Of samples in order of intention, which are not empty. n_eff is that of the median.
Metric describe(std::string_view name, std::string_view unit, std::vector<double> in_order,
                Tail tail = Tail::high);

/// Of event-level samples, which are not empty. Percentiles have intervals where `blocks_long_enough`: each
/// of the ten blocks of time lasts at least one mean E2E.
Metric describe_events(std::string_view name, std::string_view unit, std::vector<WeightedSample> samples,
                       bool blocks_long_enough);

/// One percentile with its interval, of samples in order of intention and the same sorted.
Percentile describe_percentile(std::span<const double> in_order, std::span<const double> sorted,
                               double percentile);
/// The same of sorted event-level samples; `total` is the sum of their weights.
Percentile describe_percentile(std::span<const WeightedSample> sorted, std::uint64_t total, double percentile,
                               bool blocks_long_enough);

}  // namespace infermeter
