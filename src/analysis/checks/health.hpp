// Whether the targets did their work: the only place that counts failed requests against the limits of
// docs/metrics.md, "Health". Pure; any thread.
#pragma once

#include <span>
#include <vector>

#include "infermeter/model/result.hpp"

namespace infermeter {

/// Of every target at every load that was measured, in the order of the points.
std::vector<Health> find_health(std::span<const PointResult> points);

/// Whether no point of its target has a lower load: fewer requests at a time or per second, or as many with
/// shorter prompts or answers.
bool has_lowest_load(std::span<const PointResult> points, const PointResult& point);

}  // namespace infermeter
