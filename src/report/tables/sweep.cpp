#include "report/tables/sweep.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "infermeter/base/units.hpp"
#include "report/tables/columns.hpp"
#include "report/tables/figures.hpp"
#include "report/tables/repeats.hpp"
#include "report/tables/summary_lines.hpp"
#include "report/words/load_words.hpp"

namespace infermeter {
namespace {

template <typename Value>
bool varies(const Points& points, Value value) {
  return std::ranges::any_of(points, [&](const auto* p) { return value(*p) != value(*points.front()); });
}

std::string marked(bool mark, const std::string& value) { return (mark ? "knee  " : "") + value; }

std::string rate_text(const LoadPoint& load) { return fmt::format("{:.6g}", load.rate); }

/// The column of the load; where the load does not vary, whatever varies names the row. It also marks the
/// knee.
PointColumn load_column(const RunResult& result, const Points& points) {
  const bool open = points.front()->load.open_loop;
  return {{open ? "Rate" : "Concurrency", open ? "req/s" : "", CellKind::written},
          [&result, open](const PointResult& p) {
            const std::string value = open ? rate_text(p.load) : format_count(p.load.concurrency);
            return Cell{marked(is_knee(result, p), value)};
          }};
}

std::vector<PointColumn> key_columns(const RunResult& result, const Points& points) {
  std::vector<PointColumn> columns;
  const bool shapes = varies(points, [](const PointResult& p) { return p.load.shape; });
  const bool loads =
      varies(points, [](const PointResult& p) { return std::pair(p.load.concurrency, p.load.rate); });
  const bool named = std::ranges::any_of(points, [&](const auto* p) { return is_knee(result, *p); });
  if (loads || named || !shapes) columns.push_back(load_column(result, points));
  if (shapes)
    columns.push_back(
        {{"Shape", "in/out", CellKind::words}, [](const PointResult& p) { return Cell{p.load.shape}; }});
  columns.push_back({{"Run", "", CellKind::written},
                     [&result](const PointResult& p) { return Cell{run_number(result, p)}; }});
  return columns;
}

/// In open loop latencies include the schedule delay; a note below the table says so.
std::vector<PointColumn> sweep_columns(const RunResult& result, const Points& points) {
  std::vector<PointColumn> columns = key_columns(result, points);
  for (const auto& [figure, base, at] : placed_figures(FigureOutput::sweep, points))
    columns.push_back(figure_column(*figure, at.statistic, at.rank,
                                    figure == base ? std::string() : std::string(base->brief())));
  columns.push_back(ok_column(3));
  return columns;
}

void add_row(const RunResult& result, const std::vector<PointColumn>& columns, const PointResult& point,
             Table& table) {
  std::vector<Cell> cells = cells_of(columns, point);
  if (is_knee(result, point)) {
    for (auto& cell : cells) cell.style = Style::bold;
  }
  table.row(std::move(cells), point_note(point));
}

}  // namespace

bool is_knee(const RunResult& result, const PointResult& point) {
  return std::ranges::any_of(result.knees, [&](const Knee& knee) {
    return knee.point == point.point && knee.target == point.target;
  });
}

std::string run_number(const RunResult& result, const PointResult& point) {
  return has_runs(result) ? fmt::format("{}", point.load.run) : std::string();
}

bool print_sweep(const RunResult& result, const std::vector<Points>& loads, bool wide, Page& page) {
  Points points;
  for (const auto& load : loads) points.insert(points.end(), load.begin(), load.end());
  const std::vector<PointColumn> columns = sweep_columns(result, points);
  Table table = table_of(columns);
  for (const auto& load : loads) {
    for (const auto* point : load) add_row(result, columns, *point, table);
    const std::string spread = has_runs(result) ? spread_words(load) : std::string();
    if (!spread.empty()) table.sections.back().rows.back().below.push_back(spread);
  }
  const bool complete = print_table(table, page, wide);
  if (points.front()->load.open_loop)
    page.prose({" "}, "TTFT and E2E include the schedule delay.", Style::dim);
  return complete;
}

void print_sweep_sentences(const RunResult& result, Page& page) {
  for (const auto& knee : result.knees) {
    const std::string whose = result.targets.size() > 1 ? target_name(result, knee.target) + ": " : "";
    page.prose({" "}, whose + knee.text, Style::bold);
  }
  if (!result.sweep_ended.empty())
    page.prose({" ! ", Style::warn}, "The sweep ended early: " + result.sweep_ended);
}

}  // namespace infermeter
