// Load points of saved results: a place in both results is judged, from all runs of each side there. Also
// whether these runs were measured alternately in one job: then they are pairs. Pure; any thread.
#pragma once

#include <span>
#include <vector>

#include "infermeter/analysis/gate.hpp"
#include "model/load.hpp"

namespace infermeter {

/// The load by which runs of two sides are matched. How requests arrive and the cap in flight are left out:
/// runs that differ in these are refused as a different kind, or compared with --force.
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

/// The runs sorted by start are pairs if each pair has one of each side, each result is one run, all come
/// from one machine, and no run starts more than half an hour or three times the longest run after the one
/// before it (a night between them would make two sessions). Empty where this does not hold, or with fewer
/// than six pairs.
std::vector<GatePair> alternated_pairs(const PlacedRuns& baseline, const PlacedRuns& candidate);

}  // namespace infermeter
