// Single requests that stand for many in a picture: picked in the same way each time, with those at the ends
// kept. Pure; any thread.
#pragma once

#include <cstddef>
#include <vector>

#include "analysis/runs/run_records.hpp"
#include "infermeter/model/charts.hpp"

namespace infermeter {

/// Answers whose prompt length is known: evenly by rank of their TTFT, the slowest, and the shortest and
/// longest prompt.
std::vector<PromptDot> pick_prompts(const Records& timed, std::size_t most);

/// Neighbours in order of intention from the middle of what was measured.
std::vector<WaterfallBar> pick_waterfall(const Records& measured, std::size_t most);

/// By tokens per second the fastest, the median one and the slowest, then those with the largest gaps: five
/// at most; of each at most `most_gaps` gaps of its first choice.
std::vector<StreamTrace> pick_streams(const Records& timed, std::size_t most_gaps);

}  // namespace infermeter
