#include "report/tables/sections.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "infermeter/base/units.hpp"
#include "report/tables/columns.hpp"
#include "report/tables/figures.hpp"
#include "report/tables/metric_grid.hpp"

namespace infermeter {
namespace {

using Group = std::vector<const Slice*>;

constexpr std::size_t kTurnsShown = 12;

struct Kind {
  SliceKind by;
  std::string_view head;
  bool cache = false;      // cache figures matter more than speed
  bool wide_only = false;  // there may be hundreds
};

constexpr std::array<Kind, 5> kKinds{{{SliceKind::traffic_class, "Class"},
                                      {SliceKind::turn, "Turn", true},
                                      {SliceKind::cache, "Cache", true},
                                      {SliceKind::group, "Prefix group", true, true},
                                      {SliceKind::cancel, "Cancel"}}};

Group group_of(const PointResult& point, SliceKind by) {
  Group group;
  for (const auto& slice : point.slices) {
    if (slice.by == by) group.push_back(&slice);
  }
  return group;
}

/// Of those picked for cancelling, the ones that did not end before the cut.
std::uint64_t closed_by_us(const PointResult& slice) {
  const auto it = std::ranges::find(slice.outcomes, Outcome::cancelled, &OutcomeCount::outcome);
  return it == slice.outcomes.end() ? 0 : it->count;
}

PointColumn tokens_column(const char* sub, int rank, bool all, std::uint64_t PointResult::* member) {
  return number_column("tokens", sub, rank, [all, member](const PointResult& s) {
    return s.*member > 0 ? ratio(s.*member, all ? s.requests : s.ok) : std::nullopt;
  });
}

void add_tokens(const Kind& kind, const Points& points, std::vector<PointColumn>& columns) {
  const int rank = kind.cache ? 3 : 10;
  const bool cancel = kind.by == SliceKind::cancel;
  columns.push_back(tokens_column("in", rank, cancel, &PointResult::prompt_tokens));
  columns.push_back(tokens_column("out", cancel ? 3 : 12, cancel, &PointResult::output_tokens));
  if (std::ranges::all_of(points, [](const auto* s) { return s->cached_tokens == 0; })) return;
  columns.push_back(number_column("cached", "tokens", rank + 1, [](const PointResult& s) {
    return s.prompt_tokens > 0 ? ratio(s.cached_tokens, s.ok) : std::nullopt;
  }));
  columns.push_back(number_column(
      "hits", "", rank + 1, [](const PointResult& s) { return ratio(s.cached_tokens, s.prompt_tokens); },
      CellKind::percent));
}

/// In the tables of the cache, its figures matter more than speed.
int rank_of(const Kind& kind, const PlacedFigure& placed) {
  return placed.at.rank +
         (kind.cache && placed.figure->level == FigureLevel::point && placed.figure->of_tokens ? 8 : 0);
}

std::vector<PointColumn> columns_for(const Kind& kind, const Points& points) {
  std::vector<PointColumn> columns;
  const bool cancel = kind.by == SliceKind::cancel;
  for (const auto& placed : placed_figures(FigureOutput::slices, points)) {
    if (cancel && placed.figure->name == "error_rate") continue;
    columns.push_back(figure_column(*placed.base, placed.at.statistic, rank_of(kind, placed)));
  }
  add_tokens(kind, points, columns);
  if (!cancel)
    columns.push_back(ok_column(3));
  else
    columns.push_back({{"closed", "by us", CellKind::written, 1},
                       [](const PointResult& s) { return Cell{format_count(closed_by_us(s))}; }});
  return columns;
}

void print_group(const Kind& kind, const PointResult& whole, const Group& group, bool wide, Page& page) {
  std::vector<PointResult> slices;
  for (const auto* slice : group) slices.push_back(as_point(whole, *slice));
  Points points;
  for (const auto& slice : slices) points.push_back(&slice);
  const std::vector<PointColumn> columns = columns_for(kind, points);
  Table table = table_of(columns);
  table.columns.insert(table.columns.begin(), {std::string(kind.head), "", CellKind::words});
  const std::size_t shown = wide ? group.size() : std::min(group.size(), kTurnsShown);
  for (std::size_t i = 0; i < shown; ++i) {
    std::vector<Cell> cells = cells_of(columns, slices[i]);
    cells.insert(cells.begin(), Cell{group[i]->name});
    table.row(std::move(cells));
  }
  print_table(table, page, wide);
  if (shown < group.size())
    page.line({{fmt::format(" and {} more with --wide", group.size() - shown), Style::dim}});
  page.blank();
}

void print_classes_in_full(const PointResult& point, const Group& classes, Page& page) {
  for (const auto* slice : classes) {
    page.line({{" " + slice->name, Style::bold}});
    print_metrics(as_point(point, *slice), true, page);
  }
}

}  // namespace

void print_slices(const PointResult& point, bool wide, Page& page) {
  for (const auto& kind : kKinds) {
    const Group group = group_of(point, kind.by);
    if (group.empty() || (kind.wide_only && !wide)) continue;
    print_group(kind, point, group, wide, page);
    if (wide && kind.by == SliceKind::traffic_class) print_classes_in_full(point, group, page);
  }
}

}  // namespace infermeter
