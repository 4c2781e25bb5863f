// --assert: each demand held against every load point that it is for; holds, broken, or not enough data to
// tell. Pure; any thread.
#pragma once

#include <span>

#include "infermeter/model/record.hpp"
#include "infermeter/model/result.hpp"

namespace infermeter {

/// Latency percentiles and means are decided by their 95 % interval (`by_point`: by the value); error rate,
/// throughput, goodput, cost and counts are facts of the run, and the value decides. `records` are all of the
/// run, in any order: they tell how many requests would settle what is undecided. A demand whose scope fits
/// no point is undecided and says so. The verdict's exit code is 4 where a judged point is not trustworthy,
/// 1 where a demand is broken, 5 where one is undecided, else 0.
Verdict judge_assertions(const RunResult& run, std::span<const RequestRecord> records,
                         std::span<const Threshold> asserts, bool by_point);

}  // namespace infermeter
