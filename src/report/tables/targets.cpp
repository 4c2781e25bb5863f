#include "report/tables/sweep.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>

#include "report/tables/columns.hpp"
#include "report/tables/figures.hpp"
#include "report/tables/sections.hpp"
#include "report/words/load_words.hpp"

namespace infermeter {
namespace {

constexpr std::size_t kLongestName = 24;
constexpr int kFewestBlocks = 6;  // with fewer, no change is shown

bool compared(const RunResult& result, std::string_view metric) {
  return std::ranges::find(result.differences, metric, &Difference::metric) != result.differences.end();
}

bool is_limited(const OutcomeCount& entry) {
  return entry.outcome == Outcome::http_error && is_rate_limit(entry.status);
}

std::uint64_t refused(const PointResult& point, int status) {
  std::uint64_t sum = 0;
  for (const auto& entry : point.outcomes)
    sum += is_limited(entry) && entry.status == status ? entry.count : 0;
  return sum;
}

/// Of all tries.
std::uint64_t limited(const PointResult& point) {
  const auto ended = refused(point, 429) + refused(point, 503);
  return std::max(ended, point.rate_limits ? point.rate_limits->limited : 0);
}

std::optional<double> limited_share(const PointResult& point) {
  return ratio(limited(point), point.requests + point.retries);
}

/// The statuses, as far as they are known: those of tries before the last one are not.
bool only_429(const PointResult* point) { return limited(*point) == refused(*point, 429); }

/// The compared figure of the two: from the intended time in open loop, unless only the other was compared.
const Figure& compared_figure(const RunResult& result, const PlacedFigure& placed) {
  return compared(result, placed.base->name) && !compared(result, placed.figure->name) ? *placed.base
                                                                                       : *placed.figure;
}

constexpr int kNotCompared = 10;  // added to the rank of a figure whose counterpart is the compared one

bool is_compared(const RunResult& result, const PlacedFigure& placed) {
  return placed.at.change && compared(result, compared_figure(result, placed).name);
}

void add_figures(const RunResult& result, const Points& points, std::vector<PointColumn>& columns) {
  const std::vector<PlacedFigure> all = placed_figures(FigureOutput::targets, points);
  for (const auto& placed : all) {
    const Figure& figure = compared_figure(result, placed);
    const bool change = is_compared(result, placed);
    const bool late = !change && std::ranges::any_of(all, [&](const PlacedFigure& other) {
      return other.at.rank == placed.at.rank && is_compared(result, other);
    });
    const int rank = placed.at.rank + (late ? kNotCompared : 0);
    const std::string head = &figure == placed.base ? "" : std::string(placed.base->brief());
    columns.push_back(figure_column(figure, placed.at.statistic, rank, head));
    if (change)
      columns.push_back(
          difference_column(result, std::string(figure.name), std::string(placed.at.statistic), rank));
  }
}

/// The change stands alone, since the two shares side by side show the rest.
void add_errors(const RunResult& result, const Points& points, std::vector<PointColumn>& columns) {
  PointColumn change = difference_column(result, "error_rate", "", 14);
  change.column = {"errors", "vs first", CellKind::words, 14};
  columns.push_back(std::move(change));
  if (std::ranges::all_of(points, [](const auto* p) { return limited(*p) == 0; })) return;
  columns.push_back(number_column(std::ranges::all_of(points, only_429) ? "429" : "429, 503", "", 5,
                                  limited_share, CellKind::percent));
}

void add_facts(const RunResult& result, std::vector<PointColumn>& columns) {
  columns.push_back(number_column("reasoning", "tok/answer", 13, [](const PointResult& p) {
    return p.reasoning_tokens > 0 ? ratio(p.reasoning_tokens, p.ok) : std::nullopt;
  }));
  columns.push_back(number_column(
      "RTT", "", 16,
      [&result](const PointResult& p) {
        return p.target < result.targets.size() ? result.targets[p.target].rtt_ms : std::nullopt;
      },
      CellKind::milliseconds));
}

std::vector<PointColumn> target_columns(const RunResult& result, const Points& points) {
  std::vector<PointColumn> columns{
      {{result.target_order == TargetOrder::pairs ? "Pair" : "Run", "", CellKind::written},
       [&result](const PointResult& p) { return Cell{run_number(result, p)}; }},
      {{"Target", "", CellKind::name},
       [&result](const PointResult& p) { return Cell{short_target_name(result, p.target, kLongestName)}; }}};
  add_figures(result, points, columns);
  add_errors(result, points, columns);
  add_facts(result, columns);
  return columns;
}

std::string with_interval(const std::vector<std::uint32_t>& blocks) {
  const auto [least, most] = std::ranges::minmax(blocks);
  return fmt::format(
      " with its 95 % interval, by {} blocks of the run; \"no difference\": by its 99 % interval, or under "
      "1 % (p95: 3 %)",
      least == most ? fmt::format("{}", most) : fmt::format("{} to {}", least, most));
}

void add_rows(const RunResult& result, const Points& points, const std::vector<PointColumn>& columns,
              Table& table) {
  const bool differs = !result.differences.empty();
  for (const auto* point : points) {
    std::vector<Cell> cells = cells_of(columns, *point);
    for (std::size_t i = 0; i < columns.size(); ++i) {
      const bool first = differs && point == points.front() && columns[i].column.joined;
      const bool used =
          std::ranges::any_of(points, [&](const auto* p) { return columns[i].cell(*p).present(); });
      if (first && used) cells[i].text = "–";
    }
    table.row(std::move(cells), point_note(*point));
  }
}

/// Pairs are judged by the verdict, as pairs.
void add_spreads(const RunResult& result, const Points& group, Table& table) {
  if (!has_runs(result) || result.target_order == TargetOrder::pairs) return;
  for (std::uint32_t target = 0; target < result.targets.size(); ++target) {
    Points runs;
    std::ranges::copy_if(group, std::back_inserter(runs), [&](const auto* p) { return p->target == target; });
    const std::string spread = runs.empty() ? std::string() : spread_words(runs);
    if (!spread.empty())
      table.sections.back().rows.back().below.push_back(target_name(result, target) + " " + spread);
  }
}

}  // namespace

bool print_targets(const RunResult& result, const std::vector<Points>& groups, bool wide, Page& page) {
  Points all;
  for (const auto& group : groups) all.insert(all.end(), group.begin(), group.end());
  const std::vector<PointColumn> columns = target_columns(result, all);
  Table table = table_of(columns);
  for (const auto& group : groups) {
    table.section({groups.size() > 1 ? short_name(load_id(group.front()->load)) : "", Style::bold});
    add_rows(result, group, columns, table);
    add_spreads(result, group, table);
  }
  return print_table(table, page, wide);
}

void explain_differences(const RunResult& result, Page& page) {
  if (std::ranges::all_of(result.differences, &Difference::absolute)) return;  // their own notes say so
  std::vector<std::uint32_t> blocks;
  bool too_few = false;
  for (const auto& difference : result.differences) {
    if (difference.absolute) continue;
    if (difference.low && difference.high) blocks.push_back(difference.blocks);
    too_few |= !difference.low || !difference.high;
  }
  std::string text = "vs first: change against " + target_name(result, 0);
  if (!blocks.empty()) text += with_interval(blocks);
  if (too_few)
    text += fmt::format("; \"too few blocks\": under {} with enough answers of both", kFewestBlocks);
  page.prose({" "}, text, Style::dim);
}

}  // namespace infermeter
