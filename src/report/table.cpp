#include "infermeter/report/table.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "load_words.hpp"
#include "metric_grid.hpp"
#include "outcome_words.hpp"
#include "page.hpp"
#include "slices.hpp"
#include "summary_lines.hpp"
#include "sweep.hpp"
#include "targets.hpp"
#include "verdict.hpp"
#include "verdict_lines.hpp"

namespace infermeter {
namespace {

constexpr unsigned kWideFrom = 100;

void print_figures(const PointResult& point, const TableOptions& options, Page& page) {
  print_metrics({point.metrics, point.load.open_loop, counts_events(point), point.ok, point.retries > 0},
                options.wide || options.width >= kWideFrom, page);
  if (point.has_figures()) print_rates(point, page);
  print_server_times(point, page);
  print_slices(point, options.wide, page);
  print_slo(point, page);
  print_requests(point, page);
  print_tokens(point, page);
  print_facts(point, page);
  print_names(point, page);
}

void print_point(const RunResult& result, const PointResult& point, const TableOptions& options, Page& page) {
  print_figures(point, options, page);
  print_context_fits(result, page);
  page.blank();
  print_verdict(result, point, page);
  print_findings(point, page);
}

void print_headline(const RunResult& result, Page& page) {
  for (const auto& sentence : result.headline) page.prose({" "}, sentence, Style::bold);
  if (result.headline.empty()) return;
  const bool doubtful = std::ranges::any_of(
      result.points, [](const PointResult& p) { return p.has_figures() && !p.validity.trustworthy; });
  if (doubtful) page.line({{" ✘ Not to be trusted", Style::bad}, {": why is told below"}});
  page.blank();
}

/// The points of each load point, one a target, in order.
std::vector<Points> by_load(const RunResult& result) {
  std::vector<Points> groups;
  for (const auto& point : result.points) {
    const auto it = std::ranges::find_if(
        groups, [&](const Points& group) { return group.front()->point == point.point; });
    if (it == groups.end()) {
      groups.push_back({&point});
    } else {
      it->push_back(&point);
    }
  }
  return groups;
}

bool print_comparisons(const RunResult& result, bool wide, Page& page) {
  const bool complete = print_targets(result, by_load(result), wide, page);
  explain_differences(result, page);
  return complete;
}

bool print_overview(const RunResult& result, bool wide, Page& page) {
  if (result.targets.size() > 1) return print_comparisons(result, wide, page);
  Points points;
  for (const auto& point : result.points) points.push_back(&point);
  return print_sweep(result, points, wide, page);
}

/// Failures of all points by kind, since what to do about them is the same.
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
  const std::string name = point_name(point.load);
  return result.targets.size() > 1 ? target_name(result, point.target) + "   " + name : name;
}

void print_each(const RunResult& result, const TableOptions& options, Page& page) {
  for (const auto& point : result.points) {
    if (!was_measured(point)) continue;
    page.blank();
    page.line({{" " + title_of(result, point), Style::bold}});
    print_figures(point, options, page);
  }
}

void print_several(const RunResult& result, const TableOptions& options, Page& page) {
  const bool all_columns = options.wide || options.width >= kWideFrom;
  const bool complete = print_overview(result, all_columns, page);
  print_sweep_sentences(result, page);
  print_context_fits(result, page);
  page.blank();
  print_all_ends(result, page);
  print_verdicts(result, page);
  print_grouped_findings(result, page);
  if (options.wide) {
    print_each(result, options, page);
  } else {
    page.prose(
        {" "},
        complete ? "--wide shows each point in full." : "--wide shows all columns and each point in full.",
        Style::dim);
  }
}

void print_place(const std::string& directory, Page& page) {
  if (directory.empty()) return;
  const std::string shown = directory.ends_with('/') ? directory : directory + "/";
  page.blank();
  page.items("", {{" " + shown, Style::dim}, {"infermeter report <dir> --format csv", Style::dim}}, 1);
}

}  // namespace

std::string render_table(const RunResult& result, const TableOptions& options) {
  Page page(options);
  print_headline(result, page);
  if (result.points.empty()) {
    page.line({{" Nothing was measured: the result holds no load point."}});
    print_sweep_sentences(result, page);
  } else if (result.points.size() == 1) {
    print_point(result, result.points.front(), options, page);
    print_sweep_sentences(result, page);
  } else {
    print_several(result, options, page);
  }
  if (result.verdict) {
    page.blank();
    print_judgements(*result.verdict, options.wide, page);
  }
  print_place(options.directory, page);
  return page.take();
}

}  // namespace infermeter
