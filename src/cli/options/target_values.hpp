// Options, URLs and [[target]] blocks → the targets: where the requests go and what they carry that must stay
// secret.
#pragma once

#include <vector>

#include "cli/options/config_sources.hpp"
#include "infermeter/model/plan.hpp"

namespace infermeter {

/// At least one. A key is sent to the target that names it, and one that is said for the whole run to all.
/// OPENAI_API_KEY, which nobody may have thought of, is not sent where the targets stand on several hosts.
/// Throws UsageError that never holds a key or a header's value.
std::vector<Target> targets_of(const Settings& settings, const Variables& variables);

TargetOrder target_order_of(const Values& values, std::size_t targets);

}  // namespace infermeter
