// Options whose value is a length or a distribution of lengths: a histogram's file is read here.
#pragma once

#include <string_view>

#include "cli/options/values.hpp"
#include "infermeter/model/plan.hpp"

namespace infermeter {

/// `512`, `uniform:1k,8k`, `histogram:FILE` …: in tokens, within what any model takes. Throws UsageError.
Lengths lengths_of(const Values& values, std::string_view option);
/// --turns.
Lengths turns_of(const Values& values);

}  // namespace infermeter
