// --prime: sends the shared prefixes of a point once before its measurement, so that they are in the server's
// cache. Blocks; main thread.
#pragma once

#include <span>

#include "base/time_limit.hpp"
#include "engine/load/traffic.hpp"

namespace infermeter {

/// Sends one request at a time for each prefix of each class with `prime`. Throws EnvironmentError if the
/// server cannot be reached, rejects one or does not answer it within --timeout, because the run would not
/// measure a warm cache.
void prime(const Plan& plan, const PreparedTarget& prepared, std::span<const Lane> lanes,
           const TimeLimit& command);

}  // namespace infermeter
