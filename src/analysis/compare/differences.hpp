// What tells the targets of a load point apart. Pure; any thread.
#pragma once

#include <vector>

#include "analysis/runs/run_records.hpp"
#include "infermeter/model/result.hpp"

namespace infermeter {

/// Of every target but the first against the first, for each point that both have: by blocks of the run, each
/// difference the logarithm of a ratio, with the signed-rank interval of their middle. Within noise: the 99 %
/// interval holds no change, or the change is under 1 % (of a p95: 3 %). From fewer than six blocks no change
/// is told, only how many there were. A figure that one of them lacks is left out.
std::vector<Difference> find_differences(const RunResult& run, const RunPlaces& places);

}  // namespace infermeter
