// Runs of two sessions at one load: with several per side they are compared by run (Welch). A single run per
// side allows no gate, only a guard against catastrophes, by the intervals of the figures themselves. Pure;
// any thread.
#pragma once

#include <string>

#include "analysis/gate/guards.hpp"
#include "infermeter/analysis/gate.hpp"

namespace infermeter {

/// At least two runs a side. Fails only beyond the session's own effect, which repeated runs do not show. A
/// change that is significantly above `least` but not above that effect is undecided.
Judgement judge_by_run(const GateRule& rule, const GatedMetric& metric, const GateSides& sides);

/// The line of a metric that cannot be compared by run, the reason, and the limit that would have applied.
Judgement undecided_by_run(const GateRule& rule, const GatedMetric& metric, std::string reason);

/// ln(run / the middle of the baseline's runs); nothing where the figure is missing.
std::optional<double> change_of_run(const GatedMetric& metric, const GateSides& sides,
                                    const PointResult& run);

/// The smallest `least` for which single runs are compared at all: two sessions of one server differ by far
/// less.
inline constexpr double kCatastrophe = 0.20;

/// The interval of the ratio from the intervals of both figures (MOVER, the method of variance estimates
/// recovery: Donner and Zou 2012): fails when it lies above `least`, passes when it lies below.
Judgement judge_single(const GatedMetric& metric, const PointResult& baseline, const PointResult& candidate);

}  // namespace infermeter
