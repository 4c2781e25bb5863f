#include "infermeter/report/table.hpp"

#include <fmt/format.h>

#include "load_words.hpp"
#include "metric_grid.hpp"
#include "page.hpp"
#include "summary_lines.hpp"
#include "text.hpp"
#include "verdict.hpp"

namespace infermeter {
namespace {

constexpr unsigned kWideFrom = 100;

void print_point(const RunResult& result, const PointResult& point, const TableOptions& options, Page& page) {
  print_metrics(point, options.wide || options.width >= kWideFrom, page);
  if (point.ok > 0) print_rates(point, page);
  print_requests(point, page);
  print_tokens(point, page);
  page.blank();
  print_verdict(result, point, page);
  print_findings(point, page);
}

std::string name_of(const PointResult& point, const RunResult& result) {
  std::string text = load_words(point.load);
  if (result.targets.size() > 1 && point.target < result.targets.size()) {
    const TargetFacts& target = result.targets[point.target];
    text = (target.name.empty() ? target.url : target.name) + "   " + text;
  }
  return text;
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
  for (const auto& point : result.points) {
    if (result.points.size() > 1) page.line({{name_of(point, result), Style::bold}});
    print_point(result, point, options, page);
    if (&point != &result.points.back()) page.blank();
  }
  if (result.points.empty()) page.line({{" Nothing was measured: the result holds no load point."}});
  print_place(options.directory, page);
  return page.take();
}

}  // namespace infermeter
