// Which options exclude or need each other.
#pragma once

#include "cli/options/values.hpp"

namespace infermeter {

/// Throws UsageError where one source gives two options that exclude each other.
void refuse_conflicts(const Values& source);
/// Erases from `lower` the options that an option of `higher` excludes, and those that need an erased one.
void drop_overruled(Values& lower, const Values& higher);
/// Throws UsageError if an option is set without the one that it needs.
void refuse_orphans(const Values& values);

}  // namespace infermeter
