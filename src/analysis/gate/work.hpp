// Whether both sides did the same work: what their figures alone would hide. Pure; any thread.
#pragma once

#include <string>
#include <vector>

#include "analysis/gate/guards.hpp"

namespace infermeter {

/// A sentence each: prompts or answers whose mean length differs by more than 5 %, prefix caches whose share
/// of the prompts differs by more than ten points. Empty where nothing is known.
std::vector<std::string> unequal_work(const GateSides& sides);

}  // namespace infermeter
