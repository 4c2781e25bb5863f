// Hard limits of a gate without statistics, and whether both sides did the same work, which their figures
// alone would hide. Pure; any thread.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "infermeter/analysis/gate.hpp"

namespace infermeter {

/// Why a run does not count: not to be trusted, partial, or missing. Empty: it counts.
std::string why_set_aside(const PointResult* run);

/// Whether it does not count only because its arrivals are uncertain, or slots of a closed loop stood idle in
/// the client, both by a known amount.
bool has_bounded_errors(const PointResult& run);

/// Such a run with its gated figures as slow, or as fast, as these amounts allow.
PointResult moved_by_errors(const PointResult& run, const GateRule& rule, bool slower);

/// Whether too many runs were excluded to trust the rest: more than half of all, and more than are `allowed`
/// in any case. Exclusion depends on this machine and not on which side is slower, so the remaining runs are
/// not a biased selection.
bool too_many_set_aside(std::size_t set_aside, std::size_t counted, std::size_t allowed);

/// The two sides' runs that count.
struct GateSides {
  std::vector<const PointResult*> baseline, candidate;
};

struct Guards {
  std::vector<Judgement> judgements;
  bool baseline_short = false;  // the baseline gave too few good answers: nothing can be compared
};

/// Pooled over the runs of each side; at least one run each. `expected_runs`: per side, until the first
/// decision. The failures so far are compared with all requests of these runs, as if the rest succeeded.
Guards judge_guards(const GateRule& rule, const GateSides& sides, std::size_t expected_runs);

/// A sentence each: mean lengths of prompts or answers that differ by more than 5 %, prefix caches whose
/// share of the prompts differs by more than ten points. Empty where nothing is known.
std::vector<std::string> unequal_work(const GateSides& sides);

}  // namespace infermeter
