// The data that the page's scripts draw, as JSON. Private to src/report.
#pragma once

#include <string>

#include "infermeter/model/charts.hpp"
#include "infermeter/model/result.hpp"

namespace infermeter {

/// Five significant digits, NaN becomes null, and no character that could end a script element.
std::string chart_data(const RunResult& result, const Charts& charts);

/// A metric's title above a chart: "TTFT", "TTFT incl. schedule delay", "ITL", ….
std::string chart_title(const std::string& metric, bool events);

}  // namespace infermeter
