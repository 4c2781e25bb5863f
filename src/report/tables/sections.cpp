#include "report/tables/sections.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "report/tables/metric_grid.hpp"
#include "report/tables/repeats.hpp"
#include "report/tables/summary_lines.hpp"
#include "report/tables/sweep.hpp"
#include "report/words/load_words.hpp"
#include "report/words/outcome_words.hpp"

namespace infermeter {
namespace {

/// Always with its load.
PointPlace place_of(const RunResult& result, const PointResult& point) {
  PointPlace place = place_in(result, point);
  place.load = load_id(point.load);
  return place;
}

bool print_comparisons(const RunResult& result, bool wide, Page& page) {
  const bool complete = print_targets(result, by_load(result), wide, page);
  explain_differences(result, page);
  return complete;
}

}  // namespace

void print_figures(const PointResult& point, bool all_columns, bool whole, Page& page) {
  print_metrics(point, all_columns, page);
  if (point.has_figures()) print_rates(point, page);
  print_server_times(point, page);
  print_slices(point, whole, page);
  print_slo(point, page);
  print_requests(point, page);
  print_tokens(point, page);
  print_facts(point, page);
  print_names(point, page);
}

void print_headline(const RunResult& result, Page& page) {
  for (const auto& sentence : result.headline) page.prose({" "}, sentence, Style::bold);
  if (result.headline.empty()) return;
  const bool doubtful = std::ranges::any_of(
      result.points, [](const PointResult& p) { return p.has_figures() && !p.validity.trustworthy; });
  if (doubtful) page.line({{" ✘ Not to be trusted", Style::bad}, {": see below"}});
  page.blank();
}

bool print_overview(const RunResult& result, bool wide, Page& page) {
  if (result.targets.size() > 1) return print_comparisons(result, wide, page);
  return print_sweep(result, by_load(result), wide, page);
}

void print_all_ends(const RunResult& result, Page& page) {
  std::vector<OutcomeCount> sums;
  for (const auto& point : result.points) {
    for (const auto& entry : point.outcomes) {
      const auto it = std::ranges::find_if(sums, [&](const OutcomeCount& sum) {
        return sum.outcome == entry.outcome && sum.status == entry.status;
      });
      if (it == sums.end()) {
        sums.push_back(entry);
      } else {
        it->count += entry.count;
      }
    }
  }
  if (std::ranges::none_of(sums, [](const OutcomeCount& sum) { return is_failure(sum.outcome); })) return;
  page.line({{" Failures"}});
  print_ends(sums, page);
  page.blank();
}

std::string title_of(const RunResult& result, const PointResult& point) {
  PointPlace place = place_of(result, point);
  const std::string target = std::exchange(place.target, {});
  return target.empty() ? name(place) : target + "   " + name(place);
}

std::string plain_title(const RunResult& result, const PointResult& point) {
  return name(place_of(result, point));
}

}  // namespace infermeter
