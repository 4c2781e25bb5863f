#include "analysis/compare/compared_figures.hpp"

#include <algorithm>
#include <cmath>

#include "analysis/statistics/intervals.hpp"

namespace infermeter {

namespace {

bool is_known(const Figure& figure, const Estimate& of, const PointResult& point) {
  if (!of.value) return false;
  // A rate of 0: no such answers were requested, or none came.
  if (figure.name.ends_with("_throughput") && *of.value <= 0) return false;
  return figure.unit == FigureUnit::share || figure.unit == FigureUnit::money || point.has_figures();
}

/// A cost by tokens is counted exactly: the change alone decides.
void take_as_counted(const Figure& figure, Estimate& of) {
  if (figure.unit == FigureUnit::money && !of.low && !of.high) of.low = of.high = of.value;
}

Estimate compared_estimate(const ComparedFigure& compared, const FigurePlace& place) {
  auto out = estimate(compared.figure, compared.statistic, place);
  if (!is_known(compared.figure, out, place.figures())) return {};
  const auto& cost = place.figures().cost;
  if (cost && cost->source != "per_hour") take_as_counted(compared.figure, out);
  return out;
}

/// The number of independent requests that would have the spread between the runs.
double worth_by_run(double share, const std::vector<Estimate>& runs) {
  const auto by_run = pool(runs, Scale::points);
  const double half = *by_run->high - *by_run->value;
  return half > 0 ? share * (1 - share) * std::pow(kNormal / half, 2) : HUGE_VAL;
}

/// Of all requests of the runs: errors are so rare that a few runs may agree by chance, and errors within one
/// run are so correlated that its requests are worth fewer than their number.
Estimate pooled_errors(std::span<const FigurePlace> runs, const std::vector<Estimate>& each) {
  double errors = 0, requests = 0, worth = 0;
  for (std::size_t i = 0; i < runs.size(); ++i) {
    const auto& point = runs[i].figures();
    const double own = static_cast<double>(point.requests);
    errors += *each[i].value * own;
    requests += own;
    worth += point.errors ? point.errors->n_eff : own;
  }
  const double share = errors / requests;
  const auto bounds = wilson_share(share, std::min(worth, worth_by_run(share, each)));
  return {.value = share,
          .low = bounds.low,
          .high = bounds.high,
          .samples = static_cast<std::uint64_t>(requests),
          .why_not = {}};
}

}  // namespace

std::vector<ComparedFigure> figures_to_compare(std::span<const FigurePlace> places, bool models_differ) {
  std::vector<ComparedFigure> out;
  for (const auto& [figure, at] : shown_figures(FigureOutput::compare)) {
    const ComparedFigure compared{*figure, at.statistic};
    const bool known = std::ranges::any_of(places, [&](const FigurePlace& place) {
      return tells_more(compared.figure, place.figures(), models_differ) &&
             compared_estimate(compared, place).value;
    });
    if (known) out.push_back(compared);
  }
  return out;
}

std::vector<Estimate> estimates(const ComparedFigure& compared, std::span<const FigurePlace> runs) {
  std::vector<Estimate> out;
  for (const auto& run : runs) {
    auto one = compared_estimate(compared, run);
    if (one.value) out.push_back(std::move(one));
  }
  if (compared.figure.name == "error_rate" && out.size() > 1) return {pooled_errors(runs, out)};
  return out;
}

}  // namespace infermeter
