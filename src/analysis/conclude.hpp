// Conclusions over all points: the health of the targets, differences between them, knees of sweeps, TTFT
// against context length. Computed from records and points, for `run` and `report` alike. Pure; any thread.
#pragma once

#include <span>

#include "infermeter/model/record.hpp"
#include "infermeter/model/result.hpp"

namespace infermeter {

/// Recomputes `health`, `differences`, `ranking`, `knees`, `context_fits` and `headline` of a run whose
/// points are summarized and whose `targets`, `target_order` and `scenario` are filled. `records` are all of
/// the run, in any order; the point and target numbers in each record say where it belongs.
void conclude(RunResult& run, std::span<const RequestRecord> records);

}  // namespace infermeter
