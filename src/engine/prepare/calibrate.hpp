// Learns from a server what synthetic text costs in its tokens (workload/calibration.hpp): sends the probes.
// Blocks, two minutes at most; main thread.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>

#include "engine/prepare/preflight.hpp"
#include "infermeter/model/plan.hpp"
#include "workload/synthetic/calibration.hpp"

namespace infermeter {

/// For the plan's class `traffic_class` at a prepared target. Never null, and no failed run: where nothing
/// can be learnt (or *interrupt is set) the source is empty and the report says why.
std::shared_ptr<const Calibration> calibrate(const Plan& plan, const PreparedTarget& prepared,
                                             std::uint32_t traffic_class, const std::atomic<bool>& interrupt,
                                             const Say& say);

}  // namespace infermeter
