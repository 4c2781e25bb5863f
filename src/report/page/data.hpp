// What the page's scripts draw, as JSON. Private to src/report.
#pragma once

#include <string>

#include "infermeter/model/charts.hpp"
#include "infermeter/model/result.hpp"

namespace infermeter {

/// Five significant digits, NaN is null, and no character that could end a script element.
std::string chart_data(const RunResult& result, const Charts& charts);

/// "TTFT", "TTFT from intended", "ITL", …: what a metric is called above a chart.
std::string chart_title(const std::string& metric, bool events);

}  // namespace infermeter
