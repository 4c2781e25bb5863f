// What the records say about the server beyond its figures: each finding with its evidence and what to do.
// Few, and only where the evidence is strong. Pure; any thread.
#pragma once

#include <vector>

#include "analysis/runs/run_records.hpp"
#include "infermeter/model/result.hpp"

namespace infermeter {

/// `point` has its counts, metrics and validity already.
std::vector<Finding> find_out(const PointResult& point, const RunRecords& run);

}  // namespace infermeter
