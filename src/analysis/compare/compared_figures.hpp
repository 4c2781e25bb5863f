// The figures that results are compared by: which there are, what one run's is and how sure it is. Private to
// src/analysis. Pure; any thread.
#pragma once

#include <span>
#include <string_view>
#include <vector>

#include "analysis/compare/changes.hpp"
#include "analysis/figures/estimate.hpp"

namespace infermeter {

struct ComparedFigure {
  const Figure& figure;
  std::string_view statistic;
  Scale scale() const { return figure.unit == FigureUnit::share ? Scale::points : Scale::ratio; }
};

/// Those that say something of these places, in the order in which they are read. `models_differ`: speed in
/// characters too, since a token of one is not a token of the other.
std::vector<ComparedFigure> figures_to_compare(std::span<const FigurePlace> places, bool models_differ);

/// Of several runs of one load, each that has the figure; of the error rate one, that of all their requests
/// together.
std::vector<Estimate> estimates(const ComparedFigure& compared, std::span<const FigurePlace> runs);

}  // namespace infermeter
