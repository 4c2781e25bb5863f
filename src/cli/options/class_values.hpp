// Options and [[class]] blocks → the classes of traffic: where their prompts come from, what is asked of the
// answers, and which streams are closed before their end.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "cli/options/config_sources.hpp"
#include "infermeter/model/plan.hpp"

namespace infermeter {

/// One for each block, or the only one, which has no name. Reads the files that options name; a --workload
/// file is only opened. `entropy` makes the nonce of those that are given none. Throws UsageError.
std::vector<TrafficClass> classes_of(const Settings& settings, std::uint64_t entropy);

/// `512`, `uniform:1k,8k`, `histogram:FILE` …: in tokens, within what any model takes. Throws UsageError.
Lengths lengths_of(const Values& values, std::string_view option);

}  // namespace infermeter
