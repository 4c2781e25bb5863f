// One gated metric over the pairs that count, and its line in the verdict. Pure; any thread.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "infermeter/analysis/gate.hpp"

namespace infermeter {

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
