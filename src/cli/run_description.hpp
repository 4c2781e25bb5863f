// What a result says of its run before the first record: the plan's side of RunResult.
#pragma once

#include "infermeter/engine/preflight.hpp"
#include "infermeter/model/plan.hpp"
#include "infermeter/model/result.hpp"
#include "infermeter/workload/arrivals.hpp"

namespace infermeter {

/// Eight hex digits, new in every run: opens each X-Request-Id.
std::string new_run_id();

RunResult describe_run(const Plan& plan, const PreparedTarget& prepared, const Schedule& schedule,
                       std::uint32_t workers, const std::string& run_id);

}  // namespace infermeter
