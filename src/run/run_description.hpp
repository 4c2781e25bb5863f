// What a result says of its run before the first record: the plan's side of RunResult.
#pragma once

#include <span>

#include "engine/load/traffic.hpp"
#include "infermeter/model/plan.hpp"
#include "infermeter/model/result.hpp"

namespace infermeter {

/// Eight hex digits, new in every run: opens each X-Request-Id.
std::string new_run_id();

/// All but the points: who ran what against whom, where.
RunResult describe_run(const Plan& plan, std::span<const PreparedTarget> prepared, const std::string& run_id);

/// One point at one target as it is asked for; `lanes` empty: not made yet (no schedule to tell of).
PointResult describe_point(const Plan& plan, std::uint32_t point, std::uint32_t target,
                           const PreparedTarget& prepared, std::span<const Lane> lanes,
                           const std::string& nonce, std::uint32_t workers);

}  // namespace infermeter
