// A distribution as a picture needs it: bins over a logarithmic axis and the points of its cumulative curve.
// Pure; any thread.
#pragma once

#include <string>
#include <vector>

#include "analysis/statistics/quantiles.hpp"
#include "infermeter/model/charts.hpp"

namespace infermeter {

/// `samples` (in milliseconds, any order) are not empty. About 80 bins, fewer where there are
/// few samples, hold all but the farthest values, 240 at most hold these too; none is narrower than the
/// records' whole microseconds can fill evenly. `detail` (0.1 … 1) is the share of all this that it may have.
Distribution make_distribution(std::string metric, std::vector<WeightedSample> samples, double detail = 1);

}  // namespace infermeter
