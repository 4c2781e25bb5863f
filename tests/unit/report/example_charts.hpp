// Charts that the tests of pictures share: made by hand, of the points of example_results.hpp.
#pragma once

#include "infermeter/model/charts.hpp"
#include "infermeter/model/result.hpp"

namespace infermeter {

/// Of every point of the run: two humps of TTFT, one of ITL with a far peak, a level timeline with a hole.
Charts example_charts(const RunResult& run);
/// The same without gaps between tokens.
Charts charts_without_gaps(const RunResult& run);

}  // namespace infermeter
