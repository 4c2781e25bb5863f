// Whether a server generates while it streams, or before: shown by answers of different lengths. Pure; any
// thread.
#pragma once

#include "analysis/runs/run_records.hpp"
#include "model/stream_speed.hpp"

namespace infermeter {

/// `unknown` where the lengths do not differ enough, or the times vary too much beside them.
GenerationTime generation_time(const Records& answers);

}  // namespace infermeter
