// From two estimates to the change between them, with its 95 % interval and one word. Private to
// src/analysis. Pure; any thread.
#pragma once

#include <optional>
#include <vector>

#include "analysis/statistics/intervals.hpp"
#include "infermeter/model/side_by_side.hpp"

namespace infermeter {

/// A figure of one run; a bound that the data cannot give is absent.
struct Estimate {
  double value = 0;
  Bounds bounds;
};

/// The scale on which two estimates are subtracted.
enum class Scale {
  ratio,  // logarithms: a change is relative; only for values above 0
  points  // the values themselves: shares
};

/// The estimates of one load, one a run, as one: a single run's as it is, of several the mean on the scale
/// with Student's interval. Nothing without a run that has the figure.
std::optional<Estimate> pool(const std::vector<Estimate>& runs, Scale scale);

/// Fills change, its bounds and the reason for none. Both sides with several runs: Welch; else the bounds of
/// both sides combined (Zou and Donner 2008, "MOVER": the distances from each estimate to its bounds add up
/// as squares, without symmetry).
void compare_estimates(const std::vector<Estimate>& reference, const std::vector<Estimate>& other,
                       Scale scale, ComparedCell& cell);

/// `same`: the whole interval lies within the margin. `better`, `worse`: it excludes no change and the change
/// is beyond the margin. Else `unknown`.
ChangeWord word_for(const ComparedCell& cell, double margin, bool more_is_better);

}  // namespace infermeter
