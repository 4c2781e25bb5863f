// Learns from a server how many tokens synthetic text has (workload/calibration.hpp), by sending probes.
// Blocks until its time is over (`PreparedTarget::ask_until`) at the latest; main thread.
#pragma once

#include <cstdint>
#include <memory>

#include "base/time_limit.hpp"
#include "engine/prepare/preflight.hpp"
#include "infermeter/model/plan.hpp"
#include "workload/synthetic/calibration.hpp"

namespace infermeter {

/// Calibrates the plan's class `traffic_class` at a prepared target. Never null and never a failed run: if
/// nothing can be learnt (or the command's time is over), the source is empty and the report says why.
std::shared_ptr<const Calibration> calibrate(const Plan& plan, const PreparedTarget& prepared,
                                             std::uint32_t traffic_class, const TimeLimit& command,
                                             const Say& say);

}  // namespace infermeter
