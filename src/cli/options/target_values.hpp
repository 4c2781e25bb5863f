// Options, URLs and [[target]] blocks → the targets: the destinations of requests and the secrets that they
// carry.
#pragma once

#include <vector>

#include "cli/options/config_sources.hpp"
#include "infermeter/model/plan.hpp"

namespace infermeter {

/// At least one. A key is sent to the target that names it; a key of the whole run to all targets.
/// OPENAI_API_KEY is not sent if the targets are on several hosts, because the user may not know that it is
/// set. Throws UsageError that never contains a key or a header's value.
std::vector<Target> targets_of(const Settings& settings, const Variables& variables);

TargetOrder target_order_of(const Values& values, std::size_t targets);

}  // namespace infermeter
