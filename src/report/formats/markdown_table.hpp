// The main figures of a run as one Markdown table. Private to src/report.
#pragma once

#include <string>

#include "infermeter/model/result.hpp"

namespace infermeter {

/// A row a load point and target; a column that no row fills is left out. Empty for a run without figures.
std::string markdown_table(const RunResult& result);

}  // namespace infermeter
