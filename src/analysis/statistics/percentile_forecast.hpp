// How many requests it takes until the interval of a percentile no longer contains a limit, if the next run
// is like this one (docs/statistics.md). Pure; any thread.
#pragma once

#include <optional>

#include "analysis/statistics/percentile_bounds.hpp"

namespace infermeter {

/// A percentile and the limit that it must keep clear of, on either side.
struct LimitedPercentile {
  double q = 0.5;
  double limit = 0;
  bool low_tail = false;
};

class PercentileForecast {
 public:
  /// The samples must outlive it.
  PercentileForecast(const PercentileSamples& samples, const LimitedPercentile& of);
  /// Whether m samples like these settle it, with 90 % power.
  bool settles(double m) const;
  /// No sample is on the other side of the limit, so that nothing is known of how often one is.
  bool is_clear() const { return beyond_ == 0; }
  /// The fewest samples for the bound that faces the limit, whatever the distance.
  double fewest() const { return fewest_; }

 private:
  bool blocks_settle(double m) const;

  const PercentileSamples& samples_;
  LimitedPercentile of_;
  double value_, beyond_ = 0;
  bool limit_is_above_;
  double both_bounds_ = 0;  // samples needed for both bounds
  double fewest_ = 0;       // for the one that faces the limit
  double independent_ = 0;  // samples needed if they were independent
  double inflation_ = 1;    // at the limit
  double worth_ = 1;        // samples that are worth one independent sample
  std::optional<double> block_error_;
};

}  // namespace infermeter
