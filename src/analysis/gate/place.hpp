// Judges the saved runs of two sides at one load point. Pure; any thread.
#pragma once

#include <string>

#include "analysis/gate/places.hpp"
#include "infermeter/analysis/gate.hpp"

namespace infermeter {

struct GatePlace {
  const PlacedRuns& baseline;
  const PlacedRuns& candidate;
  std::string where;  // empty where it is the only one
};

/// Adds the place's lines, units and notes: as pairs where the runs were measured in turn, by run where each
/// side has several. Throws UsageError for a single run of a side, unless only a guard against catastrophes
/// is asked for.
void judge_place(const GateRule& rule, const GatePlace& place, Verdict& verdict);

}  // namespace infermeter
