// Knees: the load from which more load costs more than it brings. Pure; any thread.
#pragma once

#include <span>
#include <vector>

#include "infermeter/model/result.hpp"

namespace infermeter {

/// One for each target and shape with at least three levels of concurrency or rate: the level with the
/// greatest power (throughput divided by the time of an answer). Its sentence gives the cost of the next
/// level, and the level at which throughput falls or TTFT grows tenfold from one level to the next.
std::vector<Knee> find_knees(std::span<const PointResult> points);

}  // namespace infermeter
