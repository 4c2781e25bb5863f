// The core of the gate: decides one metric at a look from the changes of the pairs that count, and makes its
// line in the verdict. Pure; any thread.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "infermeter/analysis/gate.hpp"

namespace infermeter {

/// Of ln ratios. At 6, 8, 10, 12, 16 pairs the bounds are the 1st, 3rd, 7th, 12th, 27th smallest Walsh
/// average and the 3rd, 6th, 11th, 18th, 36th largest (METHOD 5.6, item 3). Both are absent under six pairs,
/// for which no such average exists.
struct LookBounds {
  double estimate = 0;          // Hodges–Lehmann
  std::optional<double> above;  // the middle lies below it with a probability ≤ 1/64
  std::optional<double> below;  // it lies above this one with a probability ≤ 5 %
  double spread = 0;            // standard deviation of the changes
};

/// Of at least one change.
LookBounds bounds_at_look(std::span<const double> worse);

/// Fails when the change is significantly above `least` and the pairs agree (spread ≤ 4·least). Passes when
/// it is significantly below `most`. If both apply, it fails.
Decision decide(const LookBounds& bounds, const GatedMetric& metric);

/// Whether the spread alone keeps the metric from failing.
bool too_noisy_to_fail(const LookBounds& bounds, const GatedMetric& metric);

/// What would settle an undecided metric: "about 24 pairs, or runs of about 600 requests". Computed from the
/// observed spread, for a chance of 80 %. `requests` of a run; 0: not given.
std::string pairs_needed(const LookBounds& bounds, const GatedMetric& metric, std::size_t pairs,
                         double requests);

/// One gated metric over the pairs that count.
struct GateSeries {
  GatedMetric metric;
  std::vector<double> changes, baseline, candidate;  // of the pairs that have it on both sides
  std::string missing;                               // why the others lack it
};

/// ln(candidate / baseline) of one pair, or why there is none.
struct PairChange {
  std::optional<double> baseline, candidate, change;
  std::string missing;
};

/// Whether both members are present.
PairChange change_of(const GatedMetric& metric, const GatePair& pair);
/// Why no pair will have the metric: a side of this one has good answers, and they do not give it. Empty: it
/// was measured, or failed by chance.
std::string why_never(const GatedMetric& metric, const GatePair& pair);
GateSeries series_of(const GatedMetric& metric, std::span<const GatePair> pairs);

/// The place in the gate where it is judged.
struct GateStage {
  std::size_t counted = 0;
  bool look = false;    // it is decided now
  bool at_end = false;  // and never again
  std::optional<std::uint32_t> next;
};

/// `requests`: good answers per run, as measured; for the estimate of how many would settle it.
Judgement judge_series(const GateSeries& series, const GateStage& stage, double requests);

}  // namespace infermeter
