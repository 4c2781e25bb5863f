// A run's distributions and its course over time, drawn with block characters. Returns a string;
// locale-proof; golden-tested.
#pragma once

#include <string>

#include "infermeter/model/charts.hpp"
#include "infermeter/model/result.hpp"
#include "infermeter/report/table.hpp"

namespace infermeter {

/// Of each point with charts: histograms of TTFT and ITL (TPOT where no gaps were kept), then requests in
/// flight, output and TTFT over time. `charts` are of the same run.
std::string render_plot(const RunResult& result, const Charts& charts, const TableOptions& options);

}  // namespace infermeter
