// Whether the numbers can be trusted, the reasons, and the findings. Private to src/report.
#pragma once

#include "report/text/page.hpp"

namespace infermeter {

/// The verdict with its figures or reasons, then the warnings.
void print_trust(const RunResult& result, const PointResult& point, Page& page);
void print_findings(const PointResult& point, Page& page);

/// The same for several points: each untrustworthy one by name, warnings and findings grouped by kind.
void print_trust_of_points(const RunResult& result, Page& page);
void print_grouped_findings(const RunResult& result, Page& page);

/// Why a point without an answer has none.
const char* why_nothing(const PointResult& point);
/// A check's evidence and advice.
std::string sentence_of(const Check& check);
/// The state of a partial result: "the run was killed", "the run was interrupted", "ended early".
std::string_view how_it_stopped(const RunResult& result);
/// The reason why the run or one of its targets stopped.
void print_early_ends(const RunResult& result, Page& page);

}  // namespace infermeter
