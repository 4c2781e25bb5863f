// Load points of saved results: the same place in both is judged, by all runs of each side at it. Pure; any
// thread.
#pragma once

#include <span>
#include <vector>

#include "model/load.hpp"

namespace infermeter {

/// The load by which runs of two sides are paired. How requests arrive and the cap in flight are left out:
/// runs that differ in these are refused as of another kind, or compared all the same with --force.
LoadId gated_load(const LoadPoint& load);

/// One measurement at a place.
struct PlacedRun {
  const RunResult* result = nullptr;
  const PointResult* point = nullptr;
};

/// One place and the runs of one side at it, in the order of the results.
struct PlacedRuns {
  LoadId load;
  std::vector<PlacedRun> runs;
};

/// In the order of the first result's points.
std::vector<PlacedRuns> runs_by_place(std::span<const RunResult> results);

}  // namespace infermeter
