// Points of a run and their duration in words. Private to src/report.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "model/load.hpp"

namespace infermeter {

/// Some points of a run, in order.
using Points = std::vector<const PointResult*>;

/// "run" or "pair".
std::string_view run_word(const RunResult& result);
/// "concurrency 64, 128", "vendor-two, 20 requests/s", "5 of 6 points"; empty where the run has only one.
std::string points_named(const RunResult& result, const Points& points);
/// "30 s after 32 warm-up requests", "320 requests, no warm-up".
std::string extent_words(const LoadPoint& load);
/// Over all load points; where counts scale with the load, "10 requests a slot after 1 warm-up request a
/// slot".
std::string extents_words(const std::vector<PointResult>& points);
/// All load points of a run in one line: "concurrency 1, 8, 32".
std::string loads_words(const std::vector<PointResult>& points);
/// At most `longest` columns, the end cut.
std::string short_target_name(const RunResult& result, std::uint32_t target, std::size_t longest);

}  // namespace infermeter
