// The load of a point, and whose point it is, as a person says it. Private to src/report.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "infermeter/model/result.hpp"

namespace infermeter {

/// Some points of a run, in order.
using Points = std::vector<const PointResult*>;

/// "32 at a time", "20 requests/s, Poisson", "a trace at 2x".
std::string load_words(const LoadPoint& load);
/// As short as tells points apart: "32 at a time, 8k/1k".
std::string point_name(const LoadPoint& load);
/// Each load was measured more than once: runs, or pairs of a gate.
bool has_runs(const RunResult& result);
/// "run" or "pair".
std::string_view run_word(const RunResult& result);
/// "run 2"; empty where each load was measured once.
std::string run_name(const RunResult& result, const PointResult& point);
/// "64, 128 at a time", "vendor-two at 20 requests/s", "5 of 6 points".
std::string points_named(const RunResult& result, const Points& points);
/// "30 s after 32 warm-up requests", "320 requests, no warm-up".
std::string extent_words(const LoadPoint& load);
/// Of all load points: where counts go with the load, "10 requests a slot after 1 warm-up request a slot".
std::string extents_words(const std::vector<PointResult>& points);
/// All load points of a run in one line: "1, 8, 32 at a time".
std::string loads_words(const std::vector<PointResult>& points);
/// The target's name; its URL's host where it has none. At most `longest` columns, the end cut; 0: whole.
std::string target_name(const RunResult& result, std::uint32_t target, std::size_t longest = 0);

}  // namespace infermeter
