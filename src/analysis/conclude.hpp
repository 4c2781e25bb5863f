// What only several points or targets together show: differences between targets, knees of sweeps, TTFT
// against context length. Made from records and points, for `run` and `report` alike. Pure; any thread.
#pragma once

#include <span>

#include "infermeter/model/record.hpp"
#include "infermeter/model/result.hpp"

namespace infermeter {

/// Makes `differences`, `knees`, `context_fits` and `headline` anew, of a run whose points are summarized and
/// whose `targets`, `target_order` and `scenario` are filled. `records` are all of the run, in any order;
/// points and targets are told apart by the records' own numbers.
void conclude(RunResult& run, std::span<const RequestRecord> records);

}  // namespace infermeter
