// The targets of a run in order of one figure. Pure; any thread.
#pragma once

#include <span>
#include <vector>

#include "infermeter/model/record.hpp"
#include "infermeter/model/result.hpp"

namespace infermeter {

/// The targets of each load in order of run.sort, better ones first, those without the figure last; nothing
/// where no target has it. A target is tied with the one before it unless the two can be distinguished: by
/// the blocks of the run where the figure is compared by these, else by the intervals of both. Nothing
/// without run.sort, and for pairs, which a gate judges.
std::vector<RankedTarget> rank_targets(const RunResult& run, std::span<const RequestRecord> records);

}  // namespace infermeter
