// --assert: checks each assertion at every load point in its scope. It holds, is broken, or is undecided for
// want of data. Pure; any thread.
#pragma once

#include <span>

#include "infermeter/model/record.hpp"
#include "infermeter/model/result.hpp"

namespace infermeter {

/// The 95 % interval decides on latency percentiles and means (`by_point`: the value does). Error rate,
/// throughput, goodput, cost and counts are facts of the run, and the value decides. `records` are all of the
/// run, in any order; they give the estimate of how many requests would settle an undecided assertion. An
/// assertion whose scope matches no point is undecided and says so. The verdict's exit code is 4 if a judged
/// point is not trustworthy, else 1 if an assertion is broken, else 5 if one is undecided, else 0.
Verdict judge_assertions(const RunResult& run, std::span<const RequestRecord> records,
                         std::span<const Threshold> asserts, bool by_point);

}  // namespace infermeter
