// Time to first token against prompt length: how it grows, and whether faster than linearly. Pure; any
// thread.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "analysis/runs/run_records.hpp"
#include "infermeter/model/result.hpp"

namespace infermeter {

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

}  // namespace infermeter
