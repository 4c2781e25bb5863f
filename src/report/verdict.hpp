// Whether the numbers may be trusted, why not, what was noticed. Private to src/report.
#pragma once

#include "page.hpp"

namespace infermeter {

/// The verdict with its figures or reasons, then the warnings.
void print_verdict(const RunResult& result, const PointResult& point, Page& page);
void print_findings(const PointResult& point, Page& page);

}  // namespace infermeter
