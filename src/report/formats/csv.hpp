// One line a load point and target, a header line first; every metric with count, mean, percentiles, min and
// max. Beneath a point's line one for each of its slices (a class, a turn …), which `slice_by` and `slice`
// name; they are empty in the line of the point itself.
#pragma once

#include <string>

#include "infermeter/model/result.hpp"

namespace infermeter {

std::string result_to_csv(const RunResult& result);

}  // namespace infermeter
