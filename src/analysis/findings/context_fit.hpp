// Time to first token against prompt length: how it grows, and whether faster than the length. Pure; any
// thread.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "analysis/runs/run_records.hpp"
#include "infermeter/model/result.hpp"

namespace infermeter {

/// The median TTFT of the prompts of about one length.
struct LengthMedian {
  double tokens = 0, ttft_ms = 0;
};

/// Least squares of relative errors of max(c0, a + b·n + c·n²): the shortest lengths may be flat, since below
/// the ridge of the roofline prefill costs the same. c is never negative. `medians` ascend in tokens and are
/// at least four.
ContextFit fit_context(std::span<const LengthMedian> medians);

/// Medians of requests whose prompt was the server's to read anew: first turns, not sent before, not largely
/// cached. Lengths within a tenth or so of each other are one; a single request is none.
std::vector<LengthMedian> length_medians(const Records& ok);

/// For each target whose prompts are of four lengths or more, of its points with the least load: where
/// lengths were swept and span four times, or where they were drawn, span eight times and a hundred answers
/// came. A curve that is off by more than a tenth at any length is none.
std::vector<ContextFit> find_context_fits(const RunResult& run, const RunPlaces& places);

}  // namespace infermeter
