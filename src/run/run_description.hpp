// The plan's part of RunResult, known before the first record.
#pragma once

#include <span>

#include "engine/load/traffic.hpp"
#include "infermeter/model/plan.hpp"
#include "infermeter/model/result.hpp"

namespace infermeter {

/// Eight hex digits, new for every run: the prefix of each X-Request-Id.
std::string new_run_id();

/// Everything but the points: versions, targets, environment.
RunResult describe_run(const Plan& plan, std::span<const PreparedTarget> prepared, const std::string& run_id);

/// One point at one target as requested; `lanes` empty: not built yet (no schedule to describe).
PointResult describe_point(const Plan& plan, std::uint32_t point, std::uint32_t target,
                           const PreparedTarget& prepared, std::span<const Lane> lanes,
                           const std::string& nonce, std::uint32_t workers);

}  // namespace infermeter
