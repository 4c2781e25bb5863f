// The one way from a place of a run to a figure with its interval: assertions, comparisons, gates and the
// table take theirs from here, so that none says something else of the same requests. Pure; any thread.
#pragma once

#include <optional>
#include <string_view>

#include "analysis/figures/samples.hpp"
#include "analysis/figures/windows.hpp"
#include "infermeter/model/figures.hpp"

namespace infermeter {

/// Where a figure is taken: one load measured once at one target, or one class of traffic at it. What is
/// pointed to is not owned. Lists in order of intention, empty where the records are not at hand.
struct FigurePlace {
  const PointResult* point = nullptr;
  std::optional<PointResult> made;  // instead of `point`: of the class alone, or with bounds that it lacks
  Records all;                      // warm-up too
  Records measured;                 // of these the measured ones
  Records answers;                  // of these the ones whose latency counts
  bool whole_rates = false;         // over the whole run, as the other side has no steady window
  const PointResult& figures() const { return made ? *made : *point; }
  const Rates& rates() const;
  SampleRules rules() const;
};

/// `all` in order of intention, or null.
FigurePlace figure_place(const PointResult& point, const Records* all, bool whole_rates = false);

/// What the result holds; a percentile that it does not is made from the records.
Estimate estimate(const Figure& figure, std::string_view statistic, const FigurePlace& place);

/// Of the share of the measured requests that failed; they are not empty.
ErrorBounds error_bounds(const Records& measured);

/// Fills the bounds that results of older versions and of other tools lack, as far as the records tell.
void add_bounds(PointResult& point, const Records& all);

/// The class alone with the face of a point, so that its figures are found by the same names. `records`: of
/// the class, measured and answers.
PointResult class_as_point(const PointResult& point, const Slice& slice, const Records& measured,
                           const Records& answers, const std::optional<Window>& whole);

/// Over which time the rates of the whole run are counted; nothing where the target had only its turns of it.
std::optional<Window> whole_rates_window(const PointResult& point, const Records& measured);

}  // namespace infermeter
