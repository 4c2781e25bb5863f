// What the answers of a load show together about their speeds (docs/metrics.md, "Speed of a stream"). Pure;
// any thread.
#pragma once

#include "analysis/runs/run_records.hpp"
#include "model/stream_speed.hpp"

namespace infermeter {

SpeedEvidence speed_evidence(const Records& answers);

/// `unknown` where the lengths do not differ enough, or the times vary too much beside them.
GenerationTime generation_time(const Records& answers);

}  // namespace infermeter
