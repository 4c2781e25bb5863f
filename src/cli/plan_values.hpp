// Options joined from all sources → Plan. Each function fills one part and judges its values.
#pragma once

#include <cstdint>

#include "config_sources.hpp"
#include "infermeter/model/plan.hpp"

namespace infermeter {

/// All of a Plan but its command line. Reads --prompt-file and --api-key-file.
Plan plan_of(const Values& values, const Variables& variables, std::uint64_t entropy);

/// The greatest seed: what parse_count reads exactly.
inline constexpr std::uint64_t kMaxSeed = 9'000'000'000'000'000;

Format format_of(const Values& values);

}  // namespace infermeter
