// Options joined from all sources → Plan. Each function fills one part and judges its values.
#pragma once

#include <cstdint>

#include "cli/options/config_sources.hpp"
#include "infermeter/model/plan.hpp"

namespace infermeter {

/// What a run takes from its surroundings beside options and variables.
struct Surroundings {
  std::uint64_t entropy = 0;     // makes the nonce of a run that is given none
  std::int64_t now_unix_ms = 0;  // says what today is
};

/// All of a Plan but its command line. Reads the files that options name.
Plan plan_of(const Settings& settings, const Variables& variables, const Surroundings& here);

Format format_of(const Values& values);

/// --format, --out and what else the result goes by.
Output output_of(const Values& values);

}  // namespace infermeter
