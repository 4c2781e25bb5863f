// One target's figure against the first one's, in words. Private to src/report.
#pragma once

#include <string>

#include "infermeter/model/result.hpp"

namespace infermeter {

/// "−12 % ±4", "no difference", "too few blocks": with digits no finer than the interval.
std::string difference_words(const Difference& difference);

}  // namespace infermeter
