// Hashes that show whether two runs are the same, and whether they are comparable: the requested settings
// without the load points and the output, as one number each and as names and values for people. Private to
// src/run and src/cli; pure.
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
/// The same for the requests and how they are sent, independent of the target: excludes names, models, URLs,
/// seeds, SLOs, file locations and what the preflight decides (endpoint, forced lengths, streaming).
std::string workload_hash(const Plan& plan);

/// The options in workload_hash that differ from the default, with a value for people: lengths as given, long
/// texts only as their size. Values stored in Workload and LoadPoint are excluded. With several targets,
/// those of the first.
decltype(Workload::options) request_options(const Plan& plan, const TrafficClass& traffic);

/// Shards with the same --start-at derive the same nonce from their common settings; nothing if they cannot
/// (a whole run, or shards without --start-at).
std::optional<std::uint64_t> common_entropy(const Plan& plan);

}  // namespace infermeter
