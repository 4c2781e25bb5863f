// Options → Target: where the requests go and what they carry that must stay secret.
#pragma once

#include "config_sources.hpp"
#include "infermeter/model/plan.hpp"

namespace infermeter {

/// Throws UsageError that never holds a key or a header's value.
Target target_of(const Values& values, const Variables& variables);

}  // namespace infermeter
