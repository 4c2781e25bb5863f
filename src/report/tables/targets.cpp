#include "report/tables/sweep.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <functional>
#include <iterator>
#include <set>
#include <utility>

#include "model/figure_choice.hpp"
#include "report/tables/columns.hpp"
#include "report/tables/figures.hpp"
#include "report/tables/sections.hpp"
#include "report/words/load_words.hpp"

namespace infermeter {
namespace {

constexpr std::size_t kLongestName = 24, kShortName = 16;
constexpr std::size_t kRoomyFrom = 100;  // columns of a page on which names need not be shortened so much
constexpr int kFewestBlocks = 6;         // with fewer, no change is shown

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

std::string shown_head(const PlacedFigure& placed, const Figure& figure) {
  return &figure == placed.base ? "" : std::string(placed.base->brief());
}

FigureChoice ranking_figure(const RunResult& result) {
  return result.ranking.empty() ? FigureChoice{} : figure_choice(result.sort);
}

constexpr std::string_view kSpeed = "tps", kTextSpeed = "chars_per_second";

/// The speed of the text has the place of the speed in tokens where streams are packed so that this is not
/// known.
void give_speed_a_place(std::vector<PlacedFigure>& all,
                        const std::function<bool(const PlacedFigure&)>& known) {
  const auto named = [&](std::string_view name) {
    return std::ranges::find_if(all, [&](const auto& placed) { return placed.figure->name == name; });
  };
  const auto tokens = named(kSpeed), text = named(kTextSpeed);
  if (text == all.end() || (tokens != all.end() && known(*tokens))) return;
  constexpr int kRank = 4;  // as that of TPS in the catalogue
  text->at.rank = tokens == all.end() ? kRank : std::exchange(tokens->at.rank, text->at.rank);
}

/// Whether any point has the figure.
auto has_value(const Points& points) {
  return [&points](const PlacedFigure& placed) {
    return std::ranges::any_of(points, [&](const auto* point) {
      return shown_estimate(*point, *placed.figure, placed.at.statistic).value.has_value();
    });
  };
}

/// The ranking's figure is shown on a page of any width: in open loop `ttft` beside the one from the intended
/// time, which else has its head.
void add_figures(const RunResult& result, const Points& points, std::vector<PointColumn>& columns) {
  std::vector<PlacedFigure> all = placed_figures(FigureOutput::targets, points);
  give_speed_a_place(all, has_value(points));
  const auto by = ranking_figure(result);
  const std::size_t keys = columns.size();
  bool ranked = by.figure == nullptr;
  for (const auto& placed : all) {
    const Figure& figure = compared_figure(result, placed);
    const bool late = !is_compared(result, placed) && std::ranges::any_of(all, [&](const auto& other) {
      return other.at.rank == placed.at.rank && is_compared(result, other);
    });
    const bool ranks = by.figure == &figure && by.statistic == placed.at.statistic;
    ranked |= ranks;
    columns.push_back(figure_column(figure, placed.at.statistic,
                                    ranks ? 0 : placed.at.rank + (late ? kNotCompared : 0),
                                    by.figure == placed.base ? std::string() : shown_head(placed, figure)));
  }
  if (ranked) return;
  columns.insert(columns.begin() + static_cast<std::ptrdiff_t>(keys),
                 figure_column(*by.figure, by.statistic, 0, std::string(by.figure->label)));
}

void add_limited(const Points& points, std::vector<PointColumn>& columns) {
  if (std::ranges::all_of(points, [](const auto* p) { return limited(*p) == 0; })) return;
  columns.push_back(number_column(std::ranges::all_of(points, only_429) ? "429" : "429, 503", "", 8,
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

/// Names as short as an 80 column page needs them, unless two of them would then look the same.
std::size_t name_columns(const RunResult& result, const Page& page) {
  if (page.html() || page.width() >= kRoomyFrom) return kLongestName;
  std::set<std::string> names;
  for (std::uint32_t target = 0; target < result.targets.size(); ++target)
    names.insert(short_target_name(result, target, kShortName));
  return names.size() == result.targets.size() ? kShortName : kLongestName;
}

void add_keys(const RunResult& result, std::size_t longest, const std::string& head,
              std::vector<PointColumn>& columns) {
  columns.push_back({{result.target_order == TargetOrder::pairs ? "Pair" : "Run", "", CellKind::written},
                     [&result](const PointResult& p) { return Cell{run_number(result, p)}; }});
  columns.push_back({{head, "", CellKind::name}, [&result, longest](const PointResult& p) {
                       return Cell{short_target_name(result, p.target, longest)};
                     }});
}

std::vector<PointColumn> target_columns(const RunResult& result, const Points& points, const Page& page) {
  std::vector<PointColumn> columns;
  if (!result.ranking.empty())
    columns.push_back({{"#", "", CellKind::words},
                       [&result](const PointResult& p) { return Cell{rank_words(result, p)}; }});
  add_keys(result, name_columns(result, page), "Target", columns);
  add_figures(result, points, columns);
  add_limited(points, columns);
  add_facts(result, columns);
  return columns;
}

std::string reference_name(const RunResult& result, std::size_t longest) {
  return short_target_name(result, result.against, longest);
}

bool has_change(const RunResult& result, const Figure& figure, std::string_view statistic) {
  return std::ranges::any_of(result.differences, [&](const Difference& d) {
    return d.metric == figure.name && d.statistic == statistic && d.change;
  });
}

/// The changes of the compared figures, without the figures.
std::vector<PointColumn> change_columns(const RunResult& result, const Points& points, const Page& page) {
  std::vector<PointColumn> columns;
  const std::size_t longest = name_columns(result, page);
  add_keys(result, longest, "vs " + reference_name(result, longest), columns);
  std::vector<PlacedFigure> all = placed_figures(FigureOutput::targets, points);
  give_speed_a_place(all, [&](const PlacedFigure& placed) {
    return has_change(result, *placed.figure, placed.at.statistic);
  });
  for (const auto& placed : all) {
    if (!is_compared(result, placed)) continue;
    const Figure& figure = compared_figure(result, placed);
    if (!has_change(result, figure, placed.at.statistic)) continue;
    const Table::Column shown =
        figure_column(figure, placed.at.statistic, placed.at.rank, shown_head(placed, figure)).column;
    columns.push_back(difference_column(result, std::string(figure.name), std::string(placed.at.statistic),
                                        placed.at.rank));
    columns.back().column.head = shown.head;
    columns.back().column.sub = shown.sub;
    columns.back().column.joined = false;
  }
  columns.push_back(difference_column(result, "error_rate", "", 6));
  columns.back().column.head = find_figure("error_rate")->head;
  columns.back().column.joined = false;
  return columns;
}

/// By load, without the reference; nothing without a change.
Table change_table(const RunResult& result, const std::vector<Points>& groups, const Points& all,
                   const Page& page) {
  constexpr std::ptrdiff_t kKeys = 2;
  const std::vector<PointColumn> columns = change_columns(result, all, page);
  Table table = table_of(columns);
  for (const auto& group : groups) {
    bool any = false;
    for (const auto* point : group) {
      std::vector<Cell> cells = cells_of(columns, *point);
      if (std::none_of(cells.begin() + kKeys, cells.end(), [](const Cell& cell) { return cell.present(); }))
        continue;
      if (!std::exchange(any, true))
        table.section({groups.size() > 1 ? short_name(load_id(group.front()->load)) : "", Style::bold});
      table.row(std::move(cells));
    }
  }
  return table;
}

std::string with_interval(const std::vector<std::uint32_t>& blocks) {
  const auto [least, most] = std::ranges::minmax(blocks);
  return fmt::format(
      " with its 95 % interval, by {} blocks of the run; \"no difference\": by its 99 % interval, or under "
      "1 % (p95: 3 %)",
      least == most ? fmt::format("{}", most) : fmt::format("{} to {}", least, most));
}

/// What it takes to have blocks; by load where there are several.
std::string what_it_takes(const RunResult& result) {
  std::vector<std::string> needs;
  for (const auto& difference : result.differences) {
    if (!difference.needed.empty() && std::ranges::find(needs, difference.needed) == needs.end())
      needs.push_back(difference.needed);
  }
  return needs.empty() ? std::string() : fmt::format("; it takes {}", fmt::join(needs, ", "));
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

/// "TTFT p50", "Output throughput".
std::string ranked_by(const RunResult& result) {
  const auto [figure, statistic] = figure_choice(result.sort);
  if (!figure) return result.sort;
  return std::string(figure->label) + (statistic.empty() ? "" : " ") + std::string(statistic);
}

}  // namespace

bool print_targets(const RunResult& result, const std::vector<Points>& groups, bool wide, Page& page) {
  Points all;
  for (const auto& group : groups) all.insert(all.end(), group.begin(), group.end());
  const std::vector<PointColumn> columns = target_columns(result, all, page);
  Table table = table_of(columns);
  for (const auto& group : groups) {
    table.section({groups.size() > 1 ? short_name(load_id(group.front()->load)) : "", Style::bold});
    for (const auto* point : group) table.row(cells_of(columns, *point), point_note(*point));
    add_spreads(result, group, table);
  }
  const bool complete = print_table(table, page, wide);
  const Table changes = change_table(result, groups, all, page);
  if (changes.empty()) return complete;
  page.blank();
  return print_table(changes, page, wide) && complete;
}

std::string rank_words(const RunResult& result, const PointResult& point) {
  const auto rank = find_rank(result, point);
  if (!rank) return {};
  const bool tied = rank->second->tied;
  return fmt::format("{}{}", rank->first + 1, tied ? " =" : "");
}

void explain_differences(const RunResult& result, Page& page) {
  if (!result.ranking.empty()) {
    const bool ties = std::ranges::any_of(result.ranking, &RankedTarget::tied);
    page.prose({" "},
               fmt::format("#: by {}, better ones first{}", ranked_by(result),
                           ties ? "; =: cannot be distinguished from the one before it" : ""),
               Style::dim);
  } else if (!result.sort.empty() && result.target_order != TargetOrder::pairs) {
    page.prose({" "}, fmt::format("not sorted: no target has {}", ranked_by(result)), Style::dim);
  }
  if (std::ranges::all_of(result.differences, &Difference::absolute)) return;  // their own notes say so
  std::vector<std::uint32_t> blocks;
  bool too_few = false;
  for (const auto& difference : result.differences) {
    if (difference.absolute) continue;
    if (difference.low && difference.high) blocks.push_back(difference.blocks);
    too_few |= !difference.low || !difference.high;
  }
  std::string text = "vs " + target_name(result, result.against) + ": ";
  if (blocks.empty()) {
    text += fmt::format("no change is known: under {} blocks of the run have enough answers of both",
                        kFewestBlocks);
  } else {
    text += "ratio" + with_interval(blocks);
    if (too_few)
      text += fmt::format("; \"too few blocks\": under {} with enough answers of both", kFewestBlocks);
  }
  text += what_it_takes(result);
  page.prose({" "}, text, Style::dim);
}

}  // namespace infermeter
