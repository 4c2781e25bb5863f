// One line a load point and target, a header line first; every metric with count, mean, percentiles, min and
// max.
#pragma once

#include <string>

#include "infermeter/model/result.hpp"

namespace infermeter {

std::string result_to_csv(const RunResult& result);

}  // namespace infermeter
