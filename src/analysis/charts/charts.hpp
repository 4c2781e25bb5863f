// Records → the data of charts. Pure; any thread.
#pragma once

#include <span>

#include "infermeter/model/charts.hpp"
#include "infermeter/model/record.hpp"
#include "infermeter/model/result.hpp"

namespace infermeter {

/// Of every measured point. `records` are all of the run, in any order. 100,000 requests give no more values
/// than 1,000.
Charts make_charts(const RunResult& run, std::span<const RequestRecord> records);

}  // namespace infermeter
