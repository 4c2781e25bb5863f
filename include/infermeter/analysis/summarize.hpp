// Records → figures: the one place where a point's numbers are made, for `run` and `report` alike. Pure; any
// thread.
#pragma once

#include <span>
#include <string>

#include "infermeter/model/record.hpp"
#include "infermeter/model/result.hpp"

namespace infermeter {

/// What the records alone cannot tell of the run that made them.
struct RunState {
  bool partial = false;  // killed, or stopped by Ctrl-C
  std::string timestamp_source = "kernel";
  double client_cpu_share = 0;
};

/// Everything of one load point and target. `records` in any order, warm-up included.
PointResult summarize(const LoadPoint& load, std::span<const RequestRecord> records, const RunState& state);

}  // namespace infermeter
