// Charts shared by the tests of charts: made by hand, of the points of example_results.hpp.
#pragma once

#include "infermeter/model/charts.hpp"
#include "infermeter/model/result.hpp"

namespace infermeter {

/// For every point of the run: two humps of TTFT, one of ITL with a distant peak, a flat timeline with a
/// hole.
Charts example_charts(const RunResult& run);
/// The same without gaps between tokens.
Charts charts_without_gaps(const RunResult& run);

}  // namespace infermeter
