// What is to be said of a run beside its figures: each thing once, with the points that it holds for. For all
// formats. Private to src/report.
#pragma once

#include <string>
#include <vector>

#include "report/words/load_words.hpp"

namespace infermeter {

/// What several points say alike: the first one's words stand for all.
struct Remark {
  std::string kind, text;
  Points points;
};

Points measured_points(const RunResult& result);
/// Those of them that the verdict stands on: without the pairs that a gate set aside, of which its notes
/// tell.
Points counted_points(const RunResult& result);
/// "all points", "concurrency 64, 128".
std::string places_of(const RunResult& result, const Points& points);

std::vector<Remark> warnings_of(const RunResult& result);
std::vector<Remark> findings_of(const RunResult& result);
/// The remark, with its places where the run has several.
std::string words_of(const RunResult& result, const Remark& remark);

/// Why the run is not whole, a sentence without a full stop; empty where it came to its end.
std::string why_incomplete(const RunResult& result);
/// A sentence for each counted point that measured nothing or is not to be trusted, with its reasons.
std::vector<std::string> doubts_of(const RunResult& result);

/// The main figures of a point in one line: "TTFT p50 91.8 ms, p95 121 ms, …".
std::string main_figures(const PointResult& point);

}  // namespace infermeter
