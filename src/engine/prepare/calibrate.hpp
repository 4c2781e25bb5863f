// Learns from a server how many tokens synthetic text has (workload/calibration.hpp), by sending probes.
// Blocks, at most two minutes; main thread.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>

#include "engine/prepare/preflight.hpp"
#include "infermeter/model/plan.hpp"
#include "workload/synthetic/calibration.hpp"

namespace infermeter {

/// Calibrates the plan's class `traffic_class` at a prepared target. Never null and never a failed run: if
/// nothing can be learnt (or *interrupt is set), the source is empty and the report says why.
std::shared_ptr<const Calibration> calibrate(const Plan& plan, const PreparedTarget& prepared,
                                             std::uint32_t traffic_class, const std::atomic<bool>& interrupt,
                                             const Say& say);

}  // namespace infermeter
