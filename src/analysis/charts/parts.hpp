// What the charts of one load point are made of. Pure; any thread.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "analysis/runs/run_records.hpp"
#include "analysis/statistics/quantiles.hpp"
#include "infermeter/model/charts.hpp"

namespace infermeter {

/// `samples` (in milliseconds, any order) are not empty. About 80 bins, fewer where there are
/// few samples, hold all but the farthest values, 240 at most hold these too; none is narrower than the
/// records' whole microseconds can fill evenly. `detail` (0.1 … 1) is the share of all this that it may have.
Distribution make_distribution(std::string metric, std::vector<WeightedSample> samples, double detail = 1);

/// From the first start to the last end of `all` (warm-up and ramps too), in at most 300 stretches of a round
/// length, or so much of them as `detail` says (0.1 … 1). Empty where no request was both started and ended.
Timeline make_timeline(const Records& all, double tokens_per_event, double detail = 1);

/// Answers whose prompt length is known: evenly by rank of their TTFT, the slowest, and the shortest and
/// longest prompt.
std::vector<PromptDot> pick_prompts(const Records& timed, std::size_t most);

/// Neighbours in order of intention from the middle of what was measured.
std::vector<WaterfallBar> pick_waterfall(const Records& measured, std::size_t most);

/// By tokens per second the fastest, the median one and the slowest, then those with the largest gaps: five
/// at most; of each at most `most_gaps` gaps of its first choice.
std::vector<StreamTrace> pick_streams(const Records& timed, std::size_t most_gaps);

}  // namespace infermeter
