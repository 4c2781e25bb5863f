// Differences between the targets of a load point. Pure; any thread.
#pragma once

#include <vector>

#include "analysis/runs/run_records.hpp"
#include "infermeter/model/result.hpp"

namespace infermeter {

/// One target's requests at a point.
struct MeasuredTarget {
  const PointResult& point;
  const Records& measured;  // in order of intention
};

/// Each compared figure of b against that of a, at one point of the run.
std::vector<Difference> differences_between(const RunResult& run, const MeasuredTarget& a,
                                            const MeasuredTarget& b);

/// Compares each target with the reference (run.against), for each point that both have: by blocks of the
/// run, each difference the logarithm of a ratio, with the signed-rank interval of their middle. Within
/// noise: the 99 % interval contains 0, or the change is under 1 % (of a p95: 3 %). With fewer than six
/// blocks only their number is given and what it takes to have them, not a change. A figure that either
/// target lacks is left out.
std::vector<Difference> find_differences(const RunResult& run, const RunPlaces& places);

}  // namespace infermeter
