// One run of each side: no gate, but a guard against catastrophes, by the intervals that the figures
// themselves have. Pure; any thread.
#pragma once

#include "infermeter/analysis/gate.hpp"

namespace infermeter {

/// The smallest `least` with which single runs are compared at all: two sessions of one server differ by far
/// less.
inline constexpr double kCatastrophe = 0.20;

/// The interval of the ratio from both figures' own (MOVER, the method of variance estimates recovery: Donner
/// and Zou 2012): fails when it lies beyond `least`, passes when it lies below.
Judgement judge_single(const GatedMetric& metric, const PointResult& baseline, const PointResult& candidate);

}  // namespace infermeter
