// Hard limits of a gate that need no statistics, and whether both sides did the same work: what their figures
// alone would hide. Pure; any thread.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "infermeter/analysis/gate.hpp"

namespace infermeter {

/// Why a run does not count: not to be trusted, cut short, or not there. Empty: it counts.
std::string why_set_aside(const PointResult* run);

/// Whether so many set aside, beside so many that count, leave nothing to trust: more than half of all, and
/// more than are `allowed` in any case. Being set aside has to do with this machine and not with which side
/// is the slower one, so that those left are no selection.
bool too_many_set_aside(std::size_t set_aside, std::size_t counted, std::size_t allowed);

/// The two sides' runs that count.
struct GateSides {
  std::vector<const PointResult*> baseline, candidate;
};

struct Guards {
  std::vector<Judgement> judgements;
  bool baseline_short = false;  // too few good answers of the baseline itself: nothing can be said against it
};

/// Pooled over the runs of each side; at least one run each. `expected_runs`: of a side, until the first
/// decision; what failed so far is held against all their requests, as if the rest went well.
Guards judge_guards(const GateRule& rule, const GateSides& sides, std::size_t expected_runs);

/// A sentence each: prompts or answers whose mean length differs by more than 5 %, prefix caches whose share
/// of the prompts differs by more than ten points. Empty where nothing is known.
std::vector<std::string> unequal_work(const GateSides& sides);

}  // namespace infermeter
