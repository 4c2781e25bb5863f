// Records → figures: the only place that computes a point's numbers, for `run` and `report` alike. Pure; any
// thread.
#pragma once

#include <span>

#include "infermeter/model/record.hpp"
#include "infermeter/model/result.hpp"

namespace infermeter {

/// Facts about the run that the records do not contain.
struct RunState {
  bool partial = false;  // killed, stopped by Ctrl-C, or ended before its plan (--max-error-rate)
  TimestampSource timestamp_source = TimestampSource::kernel;  // of this target
  double client_cpu_share = 0;                                 // 0: not known
  Prices prices;                                               // of this target
  std::uint32_t gpus = 0;                                      // 0: not known
  double waited_s = 0;                                         // --on-rate-limit wait
  std::span<const Scrape> scrapes = {};                        // of this target's metrics, in no order
};

/// All figures of one load point and target. `records` in any order (the figures do not depend on it), with
/// warm-up; those of a shard are judged by its own part of the load. Never throws because of what records
/// contain; without an ok answer there are only counts, no metrics.
PointResult summarize(const LoadPoint& load, std::span<const RequestRecord> records, const RunState& state);

}  // namespace infermeter
