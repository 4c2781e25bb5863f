// Records → the data of charts: of a run, and the parts that the charts of one load point are made of. Pure;
// any thread.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include "analysis/runs/run_records.hpp"
#include "analysis/statistics/quantiles.hpp"
#include "infermeter/model/charts.hpp"
#include "infermeter/model/record.hpp"
#include "infermeter/model/result.hpp"

namespace infermeter {

/// Of every measured point. `records` are all of the run, in any order. 100,000 requests give no more values
/// than 1,000.
Charts make_charts(const RunResult& run, std::span<const RequestRecord> records);

/// `samples` (in milliseconds, any order) must not be empty. About 80 bins (fewer for few samples) hold all
/// but the farthest values, and at most 240 bins hold those too. No bin is narrower than the records' whole
/// microseconds can fill evenly. `detail` (0.1 … 1) is the share of these bins that may be used.
Distribution make_distribution(std::string metric, std::vector<WeightedSample> samples, double detail = 1);

/// From the first start to the last end of `all` (warm-up and ramps too), in at most 300 · `detail` stretches
/// (`detail` is 0.1 … 1) of a round length. Empty where no request was both started and ended.
Timeline make_timeline(const Records& all, double tokens_per_event, double detail = 1);

/// Answers with a known prompt length: evenly spaced by rank of TTFT, plus the slowest, and the shortest and
/// longest prompt.
std::vector<PromptDot> pick_prompts(const Records& timed, std::size_t most);

/// Neighbours in order of intention, from the middle of the measured phase.
std::vector<WaterfallBar> pick_waterfall(const Records& measured, std::size_t most);

/// By tokens per second the fastest, the median and the slowest stream, then those with the largest gaps: at
/// most five, each with at most `most_gaps` gaps of its first choice.
std::vector<StreamTrace> pick_streams(const Records& timed, std::size_t most_gaps);

}  // namespace infermeter
