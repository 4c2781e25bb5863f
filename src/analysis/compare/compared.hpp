// What results are compared by: the figures (which they are, their value in one run, and its interval), and
// the facts apart from them. Private to src/analysis. Pure; any thread.
#pragma once

#include <span>
#include <string_view>
#include <vector>

#include "analysis/compare/changes.hpp"
#include "analysis/figures/estimate.hpp"
#include "infermeter/analysis/compare.hpp"

namespace infermeter {

struct ComparedFigure {
  const Figure& figure;
  std::string_view statistic;
  Scale scale() const { return figure.unit == FigureUnit::share ? Scale::points : Scale::ratio; }
};

/// The figures that these places have, in reading order, and the speeds that are left out of them.
/// `models_differ`: speed in characters too, since a token of one model is not a token of the other.
std::vector<ComparedFigure> figures_to_compare(std::span<const FigurePlace> places, bool models_differ);

/// For several runs of one load, one estimate for each run that has the figure; for the error rate a single
/// one, of all their requests together.
std::vector<Estimate> estimates(const ComparedFigure& compared, std::span<const FigurePlace> runs);

/// Why none of these runs has the figure, a sentence; empty where that is no question.
std::string why_none(const ComparedFigure& compared, std::span<const FigurePlace> runs);

/// Machine, server, model, tool: what the figures depend on apart from the load.
std::vector<ComparedFact> surroundings_that_differ(std::span<const NamedResult> results);
/// What was sent and how it was counted, as far as the answers show.
std::vector<ComparedFact> traffic_that_differs(std::span<const NamedResult> results);

}  // namespace infermeter
