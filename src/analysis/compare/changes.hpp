// From two estimates to the change between them, with its 95 % interval and one word. Private to
// src/analysis. Pure; any thread.
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

/// The estimates of one load, one a run and each with a value, as one: a single run's as it is, of several
/// the mean on the scale with Student's interval. Nothing without a run that has the figure.
std::optional<Estimate> pool(const std::vector<Estimate>& runs, Scale scale);

/// Fills change, its bounds and the reason for none. Both sides with several runs: Welch; else the bounds of
/// both sides combined (Zou and Donner 2008, "MOVER": the distances from each estimate to its bounds add up
/// as squares, without symmetry).
void compare_estimates(const std::vector<Estimate>& reference, const std::vector<Estimate>& other,
                       Scale scale, ComparedCell& cell);

/// A difference on a scale with the distances to its bounds; of one run a side, by MOVER. Both have values.
struct ScaledChange {
  double difference = 0;
  std::optional<double> below, above;
};
ScaledChange change_by_bounds(const Estimate& reference, const Estimate& other, Scale scale);

/// `same`: the whole interval lies within the margin. `better`, `worse`: it excludes no change and the change
/// is beyond the margin. Else `unknown`.
ChangeWord word_for(const ComparedCell& cell, double margin, bool more_is_better);

}  // namespace infermeter
