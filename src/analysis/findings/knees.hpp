// Where more load begins to cost more than it brings. Pure; any thread.
#pragma once

#include <span>
#include <vector>

#include "infermeter/model/result.hpp"

namespace infermeter {

/// One for each target and shape with at least three levels of concurrency, or of rate: the level with the
/// greatest power, throughput over time of an answer. Its sentence says what the next level costs, and where
/// throughput falls or TTFT grows tenfold from one level to the next.
std::vector<Knee> find_knees(std::span<const PointResult> points);

}  // namespace infermeter
