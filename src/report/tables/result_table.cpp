#include "infermeter/report/table.hpp"

#include "report/tables/sections.hpp"
#include "report/tables/summary_lines.hpp"
#include "report/tables/sweep.hpp"
#include "report/tables/trust.hpp"
#include "report/tables/verdict_lines.hpp"
#include "report/text/page.hpp"

namespace infermeter {
namespace {

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
  const std::string shown = directory.ends_with('/') ? directory : directory + "/";
  page.blank();
  page.items("", {{" " + shown, Style::dim}, {"infermeter report <dir> --format html", Style::dim}}, 1);
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
