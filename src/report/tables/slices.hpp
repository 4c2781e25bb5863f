// The requests of one point that have something in common, row by row: classes of traffic, turns, cold and
// warm prompts, cancelled streams. Private to src/report.
#pragma once

#include "report/text/page.hpp"

namespace infermeter {

/// With `wide` prefix groups too, every turn, and every metric of each class.
void print_slices(const PointResult& point, bool wide, Page& page);

}  // namespace infermeter
