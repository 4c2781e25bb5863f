// The figures that results are compared by: which there are, what one run's is and how sure it is. Private to
// src/analysis. Pure; any thread.
#pragma once

#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "analysis/assertions/single_bounds.hpp"
#include "analysis/compare/changes.hpp"
#include "infermeter/model/result.hpp"

namespace infermeter {

struct ComparedFigure {
  std::string_view metric, statistic;
  std::string_view unit;
  bool more_is_better = false;
  Scale scale = Scale::ratio;
  double margin = 0.03;
  bool of_tokens = false;  // counted in tokens, or in events for want of them: never one against the other
};

/// Those that say something of these points, in the order in which they are read. `models_differ`: speed in
/// characters too, since a token of one is not a token of the other.
std::vector<ComparedFigure> figures_to_compare(std::span<const MeasuredPoint> points, bool models_differ);

std::optional<Estimate> estimate(const ComparedFigure& figure, const MeasuredPoint& measured);

/// The same of several runs of one load; of the error rate one, that of all their requests together.
std::vector<Estimate> estimates(const ComparedFigure& figure, std::span<const MeasuredPoint> runs);

}  // namespace infermeter
