// A run in equal stretches of time. Pure; any thread.
#pragma once

#include "analysis/runs/run_records.hpp"
#include "infermeter/model/charts.hpp"

namespace infermeter {

/// From the first start to the last end of `all` (warm-up and ramps too), in at most 300 stretches of a round
/// length, or so much of them as `detail` says (0.1 … 1). Empty where no request was both started and ended.
Timeline make_timeline(const Records& all, double tokens_per_event, double detail = 1);

}  // namespace infermeter
