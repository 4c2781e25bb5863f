// The load of a point as a person says it. Private to src/report.
#pragma once

#include <string>

#include "infermeter/model/result.hpp"

namespace infermeter {

/// "32 at a time", "20 requests/s, Poisson".
std::string load_words(const LoadPoint& load);
/// "30 s after 32 warm-up requests", "320 requests, no warm-up".
std::string extent_words(const LoadPoint& load);

}  // namespace infermeter
