// What a plan takes of this machine (descriptors, local ports, threads) against what there is, before the
// first request: so that a run does not end with requests that only this machine refused. Pure; any thread.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "engine/prepare/preflight.hpp"
#include "infermeter/model/plan.hpp"
#include "io/host/client_limit.hpp"

namespace infermeter {

/// Throws UsageError for a plan that can never hold: a closed loop with more connections at once than this
/// process may open, or more worker threads than this user may have. `workers`: per target.
void refuse_beyond_limits(const Plan& plan, std::span<const std::uint32_t> workers, const HostLimits& limits);

/// A sentence for each limit that the plan will probably meet. An open loop takes as many connections as its
/// rate times the time of an answer, as far as the preflight has learnt that.
/// Throws UsageError where the server is the simulator in this process, and would be the one without
/// descriptors.
std::vector<std::string> foreseen_limits(const Plan& plan, std::span<const PreparedTarget> prepared,
                                         std::span<const std::uint32_t> workers, const HostLimits& limits);

}  // namespace infermeter
