// Findings about the server apart from its figures, each with its evidence and advice. Few, and only with
// strong evidence. Pure; any thread.
#pragma once

#include <vector>

#include "analysis/runs/run_records.hpp"
#include "infermeter/model/result.hpp"

namespace infermeter {

/// `point` has its counts, metrics and validity already.
std::vector<Finding> find_out(const PointResult& point, const RunRecords& run);

}  // namespace infermeter
