// --prime: sends the shared prefixes of a point once before its measurement, so that they are in the server's
// cache. Blocks; main thread.
#pragma once

#include <atomic>
#include <span>

#include "engine/load/traffic.hpp"

namespace infermeter {

/// Sends one request at a time for each prefix of each class with `prime`. Throws EnvironmentError if the
/// server cannot be reached or rejects one, because the run would not measure a warm cache.
void prime(const Plan& plan, const PreparedTarget& prepared, std::span<const Lane> lanes,
           const std::atomic<bool>& interrupt);

}  // namespace infermeter
