// --prime: the shared prefixes of a point are sent once before its measurement, so that they are in the
// server's cache. Blocks; main thread.
#pragma once

#include <atomic>
#include <span>

#include "engine/load/traffic.hpp"

namespace infermeter {

/// One request at a time for each prefix of each class with `prime`. Throws EnvironmentError where the server
/// cannot be reached or refuses one: a run that was to find a warm cache would not.
void prime(const Plan& plan, const PreparedTarget& prepared, std::span<const Lane> lanes,
           const std::atomic<bool>& interrupt);

}  // namespace infermeter
