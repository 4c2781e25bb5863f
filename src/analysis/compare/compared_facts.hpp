// Differences between results apart from their figures. Private to src/analysis. Pure; any thread.
#pragma once

#include <span>
#include <vector>

#include "infermeter/analysis/compare.hpp"

namespace infermeter {

/// Machine, server, model, tool: what the figures depend on apart from the load.
std::vector<ComparedFact> surroundings_that_differ(std::span<const NamedResult> results);
/// What was sent and how it was counted, as far as the answers show.
std::vector<ComparedFact> traffic_that_differs(std::span<const NamedResult> results);

}  // namespace infermeter
