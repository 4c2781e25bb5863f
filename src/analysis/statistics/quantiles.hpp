// Quantiles of samples, computed exactly: linear interpolation between order statistics (type 7 of Hyndman
// and Fan 1996, NumPy's default). Pure; any thread.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

namespace infermeter {

/// One gap between events, in milliseconds, which stands for `weight` equal ones, and the block of time (of
/// ten) that it ended in.
struct WeightedSample {
  double value = 0;
  std::uint32_t weight = 1;
  std::uint32_t block = 0;
};

/// The quantile q in [0, 1] of ascending, non-empty values.
double quantile(std::span<const double> sorted, double q);

/// The same over weighted samples, as if each occurred `weight` times. `total` is the sum of the weights.
double quantile(std::span<const WeightedSample> sorted, std::uint64_t total, double q);

std::uint64_t total_weight(std::span<const WeightedSample> samples);

/// The median of values in any order, which it reorders; at least one value.
double median(std::span<double> values);

}  // namespace infermeter
