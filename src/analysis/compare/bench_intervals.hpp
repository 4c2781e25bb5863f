// Intervals of figures that another tool measured. Pure; any thread.
#pragma once

#include "model/bench_samples.hpp"

namespace infermeter {

/// Adds the intervals that the samples of another tool support, and the percentiles that it left out.
void add_intervals(BenchRun& bench);

}  // namespace infermeter
