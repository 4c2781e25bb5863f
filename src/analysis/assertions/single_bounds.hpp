// The 95 % bounds of those figures of a load point that are one value: rates, shares, and what follows from
// them. Private to src/analysis. Pure; any thread.
#pragma once

#include <optional>
#include <string_view>

#include "analysis/figures/windows.hpp"
#include "analysis/statistics/intervals.hpp"
#include "infermeter/model/result.hpp"

namespace infermeter {

/// One load measured once, or one class of traffic at it. What is pointed to is not owned.
struct MeasuredPoint {
  const PointResult* point = nullptr;
  const Records* records = nullptr;  // its own, warm-up included, in order of intention; null: not at hand
  bool whole_rates = false;          // over the whole run, as the other side has no steady window
  std::optional<Window> window;      // of its rates; none where the target had only its turns of it
  bool steady() const { return point->steady && !whole_rates; }
  const Rates& rates() const { return steady() ? *point->steady : point->whole; }
};

/// `records` in order of intention, or null.
MeasuredPoint measured_point(const PointResult& point, const Records* records, bool whole_rates = false);

/// Of the figure's value; none of what is counted rather than drawn, or where the data cannot tell.
Bounds single_bounds(std::string_view metric, double value, const MeasuredPoint& measured);

/// How many independent ones its requests are worth for the share of those that failed: neighbours fail
/// together. Without records, all of them.
double independent_requests(const MeasuredPoint& measured);

}  // namespace infermeter
