// The one function that gives a figure with its interval at a place of a run. Assertions, comparisons, gates
// and the table use it, so that all give the same value for the same requests. Pure; any thread.
#pragma once

#include <optional>
#include <string_view>

#include "analysis/figures/samples.hpp"
#include "analysis/figures/windows.hpp"
#include "infermeter/model/figures.hpp"

namespace infermeter {

/// Where a figure is taken: one load measured once at one target, or one class of traffic there. Pointers are
/// not owned. Lists are in order of intention, empty where the records are not available.
struct FigurePlace {
  const PointResult* point = nullptr;
  std::optional<PointResult> made;  // instead of `point`: of the class alone, or with the bounds it lacks
  Records all;                      // warm-up too
  Records measured;                 // of these the measured ones
  Records answers;                  // of these, those whose latency counts
  double in_flight = 1;             // mean number of the measured requests
  bool whole_rates = false;         // over the whole run, as the other side has no steady window
  const PointResult& figures() const { return made ? *made : *point; }
  const Rates& rates() const;
  SampleRules rules() const;
};

/// `all` in order of intention, or null.
FigurePlace figure_place(const PointResult& point, const Records* all, bool whole_rates = false);

/// The value in the result; a percentile that it lacks is computed from the records.
Estimate estimate(const Figure& figure, std::string_view statistic, const FigurePlace& place);

/// The samples of a figure of requests at a place; nothing without records or a sample.
std::optional<PercentileSamples> percentile_samples(const Figure& figure, const FigurePlace& place);

/// The interval of the share of measured requests that failed; at least one request.
ErrorBounds error_bounds(const Records& measured);

/// Fills the bounds that results of older versions and of other tools lack, as far as the records allow.
void add_bounds(PointResult& point, const Records& all);

/// The class alone in the form of a point, so that its figures have the same names. `all` and `answers`: of
/// the class; `window`: that of the point's rates.
PointResult class_as_point(const PointResult& point, const Slice& slice, const Records& all,
                           const Records& answers, const std::optional<Window>& window);

/// The time over which the point's rates are counted: steady, or the whole run; nothing where the target was
/// measured in turns.
std::optional<Window> rates_window(const PointResult& point, const Records& measured);

}  // namespace infermeter
