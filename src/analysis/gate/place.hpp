// All that two sides' saved runs say at one load point. Pure; any thread.
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

/// Adds the place's lines, units and notes: as pairs where the runs were measured in turn, by run where there
/// are several a side. Throws UsageError for a single run of a side, unless all that is asked for is a guard
/// against catastrophes.
void judge_place(const GateRule& rule, const GatePlace& place, Verdict& verdict);

}  // namespace infermeter
