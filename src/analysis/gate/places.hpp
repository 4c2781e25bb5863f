// Load points of saved results: the same place in both is judged, by all runs of each side at it; and whether
// these were measured alternately in one job: then they are pairs. Pure; any thread.
#pragma once

#include <span>
#include <vector>

#include "infermeter/analysis/gate.hpp"
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

/// Sorted by their start the runs are pairs with one of each side, each result is one run, all come from one
/// machine, and no run starts later after the one before it than half an hour or three times the longest run:
/// a night between them would be two sessions. Empty where they were not, or are under six pairs.
std::vector<GatePair> alternated_pairs(const PlacedRuns& baseline, const PlacedRuns& candidate);

}  // namespace infermeter
