// Whether the numbers may be trusted, why not, what was noticed. Private to src/report.
#pragma once

#include "report/text/page.hpp"

namespace infermeter {

/// The verdict with its figures or reasons, then the warnings.
void print_trust(const RunResult& result, const PointResult& point, Page& page);
void print_findings(const PointResult& point, Page& page);

/// The same of several points: each that is not to be trusted by name, warnings and findings of one kind
/// together.
void print_trust_of_points(const RunResult& result, Page& page);
void print_grouped_findings(const RunResult& result, Page& page);

/// Why a point without an answer has none.
const char* why_nothing(const PointResult& point);
/// A check's figures and what to do about it.
std::string sentence_of(const Check& check);
/// "the run was killed", "the run was interrupted", "ended early": of a partial result.
std::string_view how_it_stopped(const RunResult& result);
/// What stopped the run or one of its targets.
void print_early_ends(const RunResult& result, Page& page);

}  // namespace infermeter
