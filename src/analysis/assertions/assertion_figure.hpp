// What a load point knows of an asserted figure: its value, the bounds that the data support, and whether
// these are to decide. Pure; any thread.
#pragma once

#include <optional>
#include <string>

#include "analysis/assertions/places.hpp"

namespace infermeter {

struct AssertedFigure {
  std::optional<double> value, low, high;
  /// A percentile or mean of a distribution: another run of the same would give another one, so that its
  /// interval decides. Else a fact of this run: a share, a rate, a count, an extreme.
  bool sampled = false;
  std::string unit;
};

AssertedFigure asserted_figure(const Threshold& assertion, const AssertionPlace& place);

/// One sentence: why there is no value, and what there is instead. `statistic` is empty for single figures.
std::string why_no_figure(const std::string& metric, const std::string& statistic,
                          const AssertionPlace& place);

}  // namespace infermeter
