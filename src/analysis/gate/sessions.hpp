// Runs of two sessions at one load: several a side are compared by run (Welch). One of each side is no gate,
// but a guard against catastrophes, by the intervals that the figures themselves have. Pure; any thread.
#pragma once

#include <string>

#include "analysis/gate/guards.hpp"
#include "infermeter/analysis/gate.hpp"

namespace infermeter {

/// At least two runs a side. Fails only beyond the session's own effect, which repeated runs do not see; what
/// is surely beyond `least` but not beyond that is undecided.
Judgement judge_by_run(const GateRule& rule, const GatedMetric& metric, const GateSides& sides);

/// The line of a metric that cannot be compared by run, and why, with the limit that would have held.
Judgement undecided_by_run(const GateRule& rule, const GatedMetric& metric, std::string reason);

/// ln(run / the middle of the baseline's runs); nothing where there is no such figure.
std::optional<double> change_of_run(const GatedMetric& metric, const GateSides& sides,
                                    const PointResult& run);

/// The smallest `least` with which single runs are compared at all: two sessions of one server differ by far
/// less.
inline constexpr double kCatastrophe = 0.20;

/// The interval of the ratio from both figures' own (MOVER, the method of variance estimates recovery: Donner
/// and Zou 2012): fails when it lies beyond `least`, passes when it lies below.
Judgement judge_single(const GatedMetric& metric, const PointResult& baseline, const PointResult& candidate);

}  // namespace infermeter
