// What makes two runs the same, and what makes them comparable: what was asked for but the load points
// themselves and the output, as one number each and as names and values for people. Private to src/run and
// src/cli; pure.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "infermeter/model/plan.hpp"
#include "infermeter/model/result.hpp"

namespace infermeter {

/// 16 hex digits: equal for plans that send the same kinds of requests to the same targets in the same way.
/// Nonces, keys and header values stay out.
std::string plan_hash(const Plan& plan);
/// The same of the requests and of how they are sent, whomever to: names, models, URLs, seeds, SLOs, places
/// of files and what the preflight decides (endpoint, forced lengths, streaming) stay out.
std::string workload_hash(const Plan& plan);

/// The options in workload_hash that are not the default, with a value for people: lengths as given, of long
/// texts only the size. What Workload and LoadPoint hold by themselves is not among them. Of several targets
/// the first one's.
decltype(Workload::options) request_options(const Plan& plan, const TrafficClass& traffic);

/// Shards that begin together make the same nonce of what they have in common; nothing where they have none
/// (a whole run, or shards without --start-at).
std::optional<std::uint64_t> common_entropy(const Plan& plan);

}  // namespace infermeter
