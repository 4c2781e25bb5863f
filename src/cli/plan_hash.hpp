// What makes two runs comparable point by point, as one number: everything asked for but the load points
// themselves and the output. Private to src/cli; pure.
#pragma once

#include <string>

#include "infermeter/model/plan.hpp"

namespace infermeter {

/// 16 hex digits: equal for plans that send the same kinds of requests to the same targets in the same way.
/// Nonces, keys and header values stay out.
std::string plan_hash(const Plan& plan);

}  // namespace infermeter
