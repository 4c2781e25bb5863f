#include "analysis/compare/ranking.hpp"

#include <algorithm>
#include <optional>

#include "analysis/compare/changes.hpp"
#include "analysis/compare/compared.hpp"
#include "analysis/compare/differences.hpp"
#include "analysis/figures/estimate.hpp"
#include "analysis/runs/run_records.hpp"
#include "model/figure_choice.hpp"
#include "model/load.hpp"

namespace infermeter {

namespace {

/// One load at one target, with every run of it.
struct Contender {
  std::uint32_t target = 0;
  std::vector<const PointResult*> points;
  std::vector<FigurePlace> runs;
  std::optional<Estimate> value;  // of all runs
};

/// By load, each with its targets in their order.
std::vector<std::vector<Contender>> contenders(const RunResult& run, const RunPlaces& places) {
  std::vector<LoadId> loads;
  std::vector<std::vector<Contender>> out;
  for (const auto& point : run.points) {
    if (point.requests == 0) continue;
    const LoadId load = load_id(point.load);
    const auto known = std::ranges::find(loads, load);
    const auto at = static_cast<std::size_t>(known - loads.begin());
    if (known == loads.end()) {
      loads.push_back(load);
      out.emplace_back();
    }
    auto it = std::ranges::find(out[at], point.target, &Contender::target);
    if (it == out[at].end()) it = out[at].insert(it, Contender{.target = point.target});
    const auto found = places.find({point.point, point.target});
    it->points.push_back(&point);
    it->runs.push_back(figure_place(point, found == places.end() ? nullptr : &found->second));
  }
  return out;
}

/// By the blocks of the run; nothing where these do not compare the figure, or are too few.
std::optional<bool> differ_by_blocks(const RunResult& run, const Contender& a, const Contender& b,
                                     const ComparedFigure& figure) {
  if (a.runs.size() > 1 || b.runs.size() > 1) return std::nullopt;
  const auto all = differences_between(run, {*a.points.front(), a.runs.front().measured},
                                       {*b.points.front(), b.runs.front().measured});
  const auto it = std::ranges::find_if(all, [&](const Difference& d) {
    return d.metric == figure.figure.name && d.statistic == figure.statistic;
  });
  if (it == all.end() || !it->low || !it->high) return std::nullopt;
  return !it->within_noise;
}

bool differ_by_intervals(const Contender& a, const Contender& b, const ComparedFigure& figure) {
  ComparedCell cell;
  compare_estimates(estimates(figure, a.runs), estimates(figure, b.runs), figure.scale(), cell);
  return (cell.change_low && *cell.change_low > 0) || (cell.change_high && *cell.change_high < 0);
}

void rank(const RunResult& run, const ComparedFigure& figure, std::vector<Contender>& of_load,
          std::vector<RankedTarget>& out) {
  for (auto& one : of_load) one.value = pool(estimates(figure, one.runs), figure.scale());
  const bool more = figure.figure.more_is_better;
  std::ranges::stable_sort(of_load, [more](const Contender& a, const Contender& b) {
    if (!a.value || !b.value) return a.value.has_value() && !b.value;
    return more ? *a.value->value > *b.value->value : *a.value->value < *b.value->value;
  });
  if (!of_load.front().value) return;
  const Contender* before = nullptr;
  for (const auto& one : of_load) {
    bool tied = false;
    if (before && before->value && one.value) {
      const auto differ = differ_by_blocks(run, *before, one, figure);
      tied = !differ.value_or(differ_by_intervals(*before, one, figure));
    }
    out.push_back({.point = one.points.front()->point, .target = one.target, .tied = tied});
    before = &one;
  }
}

}  // namespace

std::vector<RankedTarget> rank_targets(const RunResult& run, std::span<const RequestRecord> records) {
  const auto choice = figure_choice(run.sort);
  if (run.sort.empty() || !choice.figure || run.target_order == TargetOrder::pairs) return {};
  const auto places = place_all(records);
  std::vector<RankedTarget> out;
  for (auto& of_load : contenders(run, places)) rank(run, {*choice.figure, choice.statistic}, of_load, out);
  return out;
}

}  // namespace infermeter
