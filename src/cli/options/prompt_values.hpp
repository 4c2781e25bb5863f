// Options → where the prompts of a class come from.
#pragma once

#include <cstdint>

#include "cli/options/values.hpp"
#include "infermeter/model/plan.hpp"

namespace infermeter {

/// Reads --prompt-file; a --workload file is only proved to be there. Throws UsageError.
Prompts prompts_of(const Values& values, std::uint64_t entropy);

}  // namespace infermeter
