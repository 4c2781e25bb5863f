// Intervals of figures that another tool measured. Pure; any thread.
#pragma once

#include "model/bench_samples.hpp"

namespace infermeter {

/// Gives another tool's figures the intervals that its samples support, and the percentiles that it left out.
void add_intervals(BenchRun& bench);

}  // namespace infermeter
