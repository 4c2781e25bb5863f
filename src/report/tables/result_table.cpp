#include "infermeter/report/table.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "base/shell_text.hpp"
#include "model/load.hpp"
#include "report/tables/metric_grid.hpp"
#include "report/tables/remarks.hpp"
#include "report/tables/sections.hpp"
#include "report/tables/sweep.hpp"
#include "report/text/page.hpp"
#include "report/words/health_words.hpp"
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

constexpr unsigned kWideFrom = 100;

bool is_wide(const TableOptions& options) { return options.wide || options.width >= kWideFrom; }

void print_point(const RunResult& result, const PointResult& point, const TableOptions& options, Page& page) {
  print_figures(point, is_wide(options), options.wide, page);
  print_context_fits(result, page);
  page.blank();
  print_trust(result, point, page);
  print_findings(point, page);
}

void print_each(const RunResult& result, const TableOptions& options, Page& page) {
  for (const auto& point : result.points) {
    if (!was_measured(point)) continue;
    page.blank();
    page.line({{" " + title_of(result, point), Style::bold}});
    print_figures(point, is_wide(options), options.wide, page);
  }
}

void print_several(const RunResult& result, const TableOptions& options, Page& page) {
  const bool complete = print_overview(result, is_wide(options), page);
  print_sweep_sentences(result, page);
  print_context_fits(result, page);
  page.blank();
  print_all_ends(result, page);
  print_trust_of_points(result, page);
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
  page.blank();
  page.line({{" infermeter open " + shell_quoted(directory), Style::dim}});
}

/// What ended each target, or all of them, before the first request.
std::string why_no_points(const RunResult& result) {
  std::string why;
  for (const auto& target : result.targets) {
    if (target.ended_early.empty()) continue;
    append_reason(why, (result.targets.size() > 1 ? target_name(target) + ": " : "") + target.ended_early);
  }
  if (why.empty()) why = result.ended_early;
  return why.empty() ? "the result holds no load point." : why;
}

}  // namespace

void print_figures(const PointResult& point, bool all_columns, bool whole, Page& page) {
  print_metrics(point, all_columns, page);
  if (point.has_figures()) print_rates(point, page);
  print_server_times(point, page);
  print_server_window(point, all_columns, page);
  print_ttft_parts(point, page);
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
  if (worst_health(result) != HealthState::good)
    page.line({{" ! Requests failed", Style::warn}, {": see below"}});
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

std::string render_point_line(const RunResult& result, const PointResult& point) {
  std::string line = plain_title(result, point) + ": ";
  line +=
      point.has_figures() ? main_figures(point) : std::string("nothing was measured, ") + why_nothing(point);
  if (const auto note = point_note(point); !note.text.empty()) line += "; " + note.text;
  return line;
}

std::string render_table(const RunResult& result, const TableOptions& options) {
  Page page(options);
  print_headline(result, page);
  if (result.points.empty()) {
    page.prose({" "}, "Nothing was measured: " + why_no_points(result));
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
