// Records → figures: the one place where a point's numbers are made, for `run` and `report` alike. Pure; any
// thread.
#pragma once

#include <span>

#include "infermeter/model/record.hpp"
#include "infermeter/model/result.hpp"

namespace infermeter {

/// What the records alone cannot tell of the run that made them.
struct RunState {
  bool partial = false;  // killed, stopped by Ctrl-C, or ended before its plan (--max-error-rate)
  TimestampSource timestamp_source = TimestampSource::kernel;  // of this target
  double client_cpu_share = 0;                                 // 0: not known
  Prices prices;                                               // of this target
  std::uint32_t gpus = 0;                                      // 0: not known
  double waited_s = 0;                                         // --on-rate-limit wait
};

/// Everything of one load point and target. `records` in any order (the figures do not depend on it), warm-up
/// included; a shard's are judged by its own part of the load. Never throws for what records hold; without an
/// ok answer there are no metrics, only counts.
PointResult summarize(const LoadPoint& load, std::span<const RequestRecord> records, const RunState& state);

}  // namespace infermeter
