// Whether saved runs of two sides were measured in turn in one job: then they are pairs. Pure; any thread.
#pragma once

#include <vector>

#include "analysis/gate/places.hpp"
#include "infermeter/analysis/gate.hpp"

namespace infermeter {

/// Sorted by their start the runs are pairs with one of each side, each result is one run, all come from one
/// machine, and no run starts later after the one before it than half an hour or three times the longest run:
/// a night between them would be two sessions. Empty where they were not, or are under six pairs.
std::vector<GatePair> alternated_pairs(const PlacedRuns& baseline, const PlacedRuns& candidate);

}  // namespace infermeter
