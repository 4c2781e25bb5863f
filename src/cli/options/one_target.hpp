// Options → one target, without what tells it from others: its name, its URLs and its key.
#pragma once

#include "cli/options/values.hpp"
#include "infermeter/model/plan.hpp"

namespace infermeter {

/// Throws UsageError that never holds a header's value.
Target target_of(const Values& values);

}  // namespace infermeter
