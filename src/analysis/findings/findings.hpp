// What a run shows apart from its figures: findings about the server, knees of a sweep, time to first token
// against prompt length, and the result that a scenario was run for. Pure; any thread.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "analysis/runs/run_records.hpp"
#include "infermeter/model/result.hpp"

namespace infermeter {

/// Findings about the server, each with its evidence and advice. Few, and only with strong evidence. `point`
/// has its counts, metrics and validity already.
std::vector<Finding> find_out(const PointResult& point, const RunRecords& run);

/// The slots of a closed loop begin and end together, as with answers of equal length.
std::optional<Finding> find_waves(const PointResult& point, const RunRecords& run);
/// The user's own prompts were sent more than once, and the server does not say what it had cached.
std::optional<Finding> find_prompts_again(const PointResult& point, const RunRecords& run);

/// Knees: the load from which more load costs more than it brings. One for each target and shape with at
/// least three levels of concurrency or rate: the level with the greatest power (throughput divided by the
/// time of an answer). Its sentence gives the cost of the next level, and the level at which throughput falls
/// or TTFT grows tenfold from one level to the next. Levels without a steady rate are left out. If the last
/// level is the best, or fewer than three are left, the sentence says that no knee was found.
std::vector<Knee> find_knees(std::span<const PointResult> points);

/// The median TTFT of the prompts of approximately one length.
struct LengthMedian {
  double tokens = 0, ttft_ms = 0;
};

/// Fits max(c0, a + b·n + c·n²) by least squares of relative errors: the shortest lengths may be flat, since
/// below the ridge of the roofline prefill costs the same. c is never negative. `medians` must ascend in
/// tokens and number at least four.
ContextFit fit_context(std::span<const LengthMedian> medians);

/// Medians of requests whose prompt the server had to read in full: first turns, not sent before, not largely
/// cached. Lengths within about a tenth of each other are one; a single request is not a median.
std::vector<LengthMedian> length_medians(const Records& ok);

/// One fit for each target whose prompts have at least four lengths, from its points with the lowest load.
/// Swept lengths must span a factor of four; drawn lengths a factor of eight, with at least a hundred
/// answers. A curve with an error above a tenth at any length is dropped.
std::vector<ContextFit> find_context_fits(const RunResult& run, const RunPlaces& places);

/// The result that a scenario was run for, in one or two sentences. Of the first point of each target (with
/// its name if there are several); a second sentence says whether the SLOs held. Empty for a run without a
/// scenario of configs/scenarios, and where no request ended ok. `run` must have its context fits already.
std::vector<std::string> make_headline(const RunResult& run, const RunPlaces& places);

}  // namespace infermeter
