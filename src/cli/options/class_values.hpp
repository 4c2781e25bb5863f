// Options and [[class]] blocks → the traffic classes: the source of their prompts, the settings of their
// answers, and which streams are closed before their end.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "cli/options/config_sources.hpp"
#include "infermeter/model/plan.hpp"

namespace infermeter {

/// One class per block, or a single one without a name. Reads the files that options name; a --workload file
/// is only opened. `entropy` gives a nonce to classes without one. Throws UsageError.
std::vector<TrafficClass> classes_of(const Settings& settings, std::uint64_t entropy);

/// `512`, `uniform:1k,8k`, `histogram:FILE` …: in tokens, within the limits of any model. Throws UsageError.
Lengths lengths_of(const Values& values, std::string_view option);

}  // namespace infermeter
