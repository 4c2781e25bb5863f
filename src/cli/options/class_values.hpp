// Options and [[class]] blocks → the classes of traffic.
#pragma once

#include <cstdint>
#include <vector>

#include "cli/options/config_sources.hpp"
#include "infermeter/model/plan.hpp"

namespace infermeter {

/// One for each block, or the only one, which has no name. Reads the files that options name. `entropy` makes
/// the nonce of those that are given none. Throws UsageError.
std::vector<TrafficClass> classes_of(const Settings& settings, std::uint64_t entropy);

}  // namespace infermeter
