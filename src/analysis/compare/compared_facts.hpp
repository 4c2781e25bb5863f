// What differs between results beside their figures. Private to src/analysis. Pure; any thread.
#pragma once

#include <span>
#include <vector>

#include "infermeter/analysis/compare.hpp"

namespace infermeter {

/// Machine, server, model, tool: what the figures depend on besides the load.
std::vector<ComparedFact> surroundings_that_differ(std::span<const NamedResult> results);
/// What was sent and how it was counted, as far as the answers tell.
std::vector<ComparedFact> traffic_that_differs(std::span<const NamedResult> results);

}  // namespace infermeter
