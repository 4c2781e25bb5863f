// What a plan's requests ask for and cost, as far as it is known before they are sent. Pure; any thread.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <vector>

#include "infermeter/model/plan.hpp"
#include "workload/data/data_formats.hpp"

namespace infermeter {

bool is_synthetic(const Prompts& prompts);
Endpoint endpoint_of(const Target& target);

/// "38,912 prompt + up to 9,728 output tokens, in 76 requests with warm-up", for one target; of one request
/// if their number depends on the server's speed. `items`: of the classes' data files, null for a class
/// without one; `stamps`: of a replayed trace.
std::string planned_tokens_text(const Plan& plan, const Target& target,
                                std::span<const std::shared_ptr<const ItemSource>> items,
                                std::span<const nanoseconds> stamps);
/// "up to $0.0126", by the target's prices; or that no prices are known.
std::string planned_cost_text(const Plan& plan, const Target& target,
                              std::span<const std::shared_ptr<const ItemSource>> items,
                              std::span<const nanoseconds> stamps);

}  // namespace infermeter
