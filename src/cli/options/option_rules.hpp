// Which options exclude or need each other.
#pragma once

#include "cli/options/values.hpp"

namespace infermeter {

/// Throws UsageError where one source gives two options that exclude each other.
void refuse_conflicts(const Values& source);
/// Erases from `lower` what an option of `higher` excludes, and what only made sense beside it.
void drop_overruled(Values& lower, const Values& higher);
/// Throws UsageError where an option stands without the one that it needs.
void refuse_orphans(const Values& values);

}  // namespace infermeter
