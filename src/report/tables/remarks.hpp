// Remarks on a run beside its figures: each once, with the points that it applies to. For all formats.
// Private to src/report.
#pragma once

#include <string>
#include <vector>

#include "report/words/load_words.hpp"

namespace infermeter {

/// A remark that several points share, in the words of the first one.
struct Remark {
  std::string kind, text;
  Points points;
};

Points measured_points(const RunResult& result);
/// The points on which the verdict is based: without the pairs that a gate excluded, which its notes list.
Points counted_points(const RunResult& result);
/// "all points", "concurrency 64, 128".
std::string places_of(const RunResult& result, const Points& points);

std::vector<Remark> warnings_of(const RunResult& result);
std::vector<Remark> findings_of(const RunResult& result);
/// The remark, with its places where the run has several.
std::string words_of(const RunResult& result, const Remark& remark);

/// That records could not be written, a sentence without a full stop; empty where none is lost.
std::string lost_words(const RunResult& result);
/// Why the run is partial, a sentence without a full stop; empty where it is complete.
std::string why_incomplete(const RunResult& result);
/// A sentence for each counted point that measured nothing or is not to be trusted, with its reasons.
std::vector<std::string> doubts_of(const RunResult& result);

/// The main figures of a point in one line: "TTFT p50 91.8 ms, p95 121 ms, …".
std::string main_figures(const PointResult& point);

}  // namespace infermeter
