// The change between two estimates, with its 95 % interval and one word. Private to src/analysis. Pure; any
// thread.
#pragma once

#include <optional>
#include <vector>

#include "infermeter/model/figures.hpp"
#include "infermeter/model/side_by_side.hpp"

namespace infermeter {

/// The scale on which two estimates are subtracted.
enum class Scale {
  ratio,  // logarithms: a change is relative; only for values above 0
  points  // the values themselves: shares
};

/// Combines the estimates of one load (one per run, each with a value): a single run's unchanged, of several
/// runs the mean on the scale with Student's interval. Nothing if no run has the figure.
std::optional<Estimate> pool(const std::vector<Estimate>& runs, Scale scale);

/// Fills the change, its bounds, and the reason where it has none. Both sides with several runs: Welch. Else
/// the bounds of both sides are combined (Zou and Donner 2008, "MOVER": the distances from each estimate to
/// its bounds add up as squares, without symmetry).
void compare_estimates(const std::vector<Estimate>& reference, const std::vector<Estimate>& other,
                       Scale scale, ComparedCell& cell);

/// A difference on a scale with the distances to its bounds; for one run a side, by MOVER. Both must have
/// values.
struct ScaledChange {
  double difference = 0;
  std::optional<double> below, above;
};
ScaledChange change_by_bounds(const Estimate& reference, const Estimate& other, Scale scale);

/// `same`: the whole interval lies within the margin. `better`, `worse`: the interval excludes 0 and the
/// change exceeds the margin. Else `unknown`.
ChangeWord word_for(const ComparedCell& cell, double margin, bool more_is_better);

}  // namespace infermeter
