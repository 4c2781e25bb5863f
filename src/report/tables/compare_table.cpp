#include "report/tables/compare_table.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "report/tables/compare_grid.hpp"
#include "report/tables/figures.hpp"
#include "report/text/page.hpp"
#include "report/text/text.hpp"
#include "report/words/compare_words.hpp"

namespace infermeter {
namespace {

constexpr std::size_t kInFull = 2;  // loads; more are shown metric by metric
constexpr std::size_t kFactColumns = 18;

/// What a sweep is looked at for first.
constexpr std::array<std::string_view, 9> kMain{"ttft p50",          "ttft p95",         "ttft_response p50",
                                                "ttft_response p95", "tpot p50",         "output_throughput ",
                                                "goodput ",          "item_throughput ", "error_rate "};

/// Where nothing failed there is nothing to look at.
bool all_zero(const ComparedRow& row) {
  return std::ranges::all_of(row.cells, [](const auto& cell) { return cell.value.value_or(0) == 0; });
}

bool is_main(const ComparedRow& row) {
  return std::ranges::find(kMain, row.metric + " " + row.statistic) != kMain.end();
}

void print_results(const SideBySide& compared, Page& page) {
  for (std::size_t i = 0; i < compared.results.size(); ++i) {
    const ComparedResult& result = compared.results[i];
    std::vector<Span> items{{result.name}};
    for (const auto& text : {result.source, result.model, result.start}) {
      if (!text.empty()) items.push_back({text, Style::dim});
    }
    page.items(" " + letter_of(i), items, 4);
  }
}

/// "kernel   A 6.1.0   B 6.12.3".
void print_facts(std::string_view title, const std::vector<ComparedFact>& facts, Page& page) {
  if (facts.empty()) return;
  page.blank();
  page.line({{std::string(title), Style::bold}});
  for (const auto& fact : facts) {
    std::vector<Span> items;
    for (std::size_t i = 0; i < fact.values.size(); ++i)
      items.push_back({letter_of(i) + " " + (fact.values[i].empty() ? "–" : fact.values[i])});
    page.items("   " + fact.name, items, kFactColumns);
  }
}

void print_kinds(const SideBySide& compared, Page& page) {
  for (std::size_t i = 1; i < compared.results.size(); ++i) {
    const auto& sentences = compared.results[i].differences_of_kind;
    if (sentences.empty()) continue;
    page.blank();
    page.line({{" ! ", Style::warn}, {letter_of(i) + " is not the same kind of run as A", Style::bold}});
    for (const auto& sentence : sentences) page.prose({"   "}, sentence);
  }
}

void print_doubts(const SideBySide& compared, Page& page) {
  for (std::size_t i = 0; i < compared.results.size(); ++i) {
    const ComparedResult& result = compared.results[i];
    if (!result.trustworthy) page.blank();
    if (!result.trustworthy) page.line({{" ✘ " + letter_of(i) + " is not to be trusted", Style::bad}});
    if (!result.doubts.empty()) page.prose({"   "}, result.doubts.front());
    if (result.doubts.size() > 1)
      page.prose({"   "},
                 fmt::format("{} likewise.", counted(result.doubts.size() - 1, "more point", "more points")));
    if (!result.partial) continue;
    page.blank();
    page.prose({" ! ", Style::warn},
               letter_of(i) + " is partial: it was stopped early, what ended before is here.");
  }
}

CompareGrid::Figures figures_of(const ComparedRow& row, const ComparedCell& cell, const ShownUnit& unit) {
  CompareGrid::Figures out;
  out.value = value_text(cell, unit);
  out.sure = own_interval_text(cell, unit);
  out.change = change_text(row, cell);
  out.interval = change_interval_text(cell);
  out.word = word_of(cell);
  return out;
}

void add_row(const std::string& label, const ComparedRow& row, const ShownUnit& unit, CompareGrid& grid) {
  std::vector<CompareGrid::Figures> figures;
  for (const auto& cell : row.cells) figures.push_back(figures_of(row, cell, unit));
  grid.row(label, unit.name, std::move(figures));
}

void add_by_load(const SideBySide& compared, CompareGrid& grid) {
  for (const auto& point : compared.points) {
    grid.section(point_title(point), runs_text(point));
    for (const auto& row : point.rows) add_row(row_label(row), row, shown_unit({&row}), grid);
  }
}

const ComparedRow* find_row(const ComparedPoint& point, const ComparedRow& like) {
  const auto it = std::ranges::find_if(point.rows, [&](const ComparedRow& row) {
    return row.metric == like.metric && row.statistic == like.statistic && row.events == like.events;
  });
  return it == point.rows.end() ? nullptr : &*it;
}

/// Every row of any point, once, in the order of the points' rows.
std::vector<const ComparedRow*> all_rows(const SideBySide& compared) {
  std::vector<const ComparedRow*> out;
  for (const auto& point : compared.points) {
    auto at = out.begin();
    for (const auto& row : point.rows) {
      const auto same = [&](const ComparedRow* known) {
        return known->metric == row.metric && known->statistic == row.statistic &&
               known->events == row.events;
      };
      const auto it = std::ranges::find_if(out, same);
      at = it == out.end() ? out.insert(at, &row) + 1 : it + 1;
    }
  }
  return out;
}

std::vector<const ComparedRow*> rows_like(const SideBySide& compared, const ComparedRow& like) {
  std::vector<const ComparedRow*> rows;
  for (const auto& point : compared.points) {
    if (const auto* row = find_row(point, like)) rows.push_back(row);
  }
  return rows;
}

/// False where rows were left out.
bool add_by_metric(const SideBySide& compared, bool all, CompareGrid& grid) {
  bool complete = true;
  for (const auto* like : all_rows(compared)) {
    const auto rows = rows_like(compared, *like);
    const bool quiet = std::ranges::all_of(rows, [](const auto* row) { return all_zero(*row); });
    const bool shown = all || (is_main(*like) && !quiet);
    complete &= shown;
    if (!shown) continue;
    grid.section(row_label(*like), "");
    for (const auto& point : compared.points) {
      if (const auto* row = find_row(point, *like)) add_row(point_title(point), *row, shown_unit(rows), grid);
    }
  }
  return complete;
}

void print_tallies(const SideBySide& compared, Page& page) {
  page.blank();
  for (std::size_t i = 1; i < compared.results.size(); ++i)
    page.prose({" " + letter_of(i) + " against A: ", Style::bold}, tally(compared, i));
}

/// Beneath the tallies, where every load was measured as often.
void print_runs(const SideBySide& compared, Page& page) {
  const std::string runs = runs_text(compared.points.front());
  const bool alike = std::ranges::all_of(
      compared.points, [&](const ComparedPoint& point) { return runs_text(point) == runs; });
  if (!alike || runs.empty() || compared.points.size() <= kInFull) return;
  page.prose({" "}, runs + " of each load, compared by run", Style::dim);
}

void print_comparison(const SideBySide& compared, const TableOptions& options, Page& page) {
  std::vector<CompareGrid::Head> heads;
  for (std::size_t i = 0; i < compared.results.size(); ++i)
    heads.push_back({letter_of(i), mark_of(compared.results[i])});
  CompareGrid grid(std::move(heads));
  bool complete = true;
  if (compared.points.size() <= kInFull)
    add_by_load(compared, grid);
  else
    complete = add_by_metric(compared, options.wide, grid);
  page.blank();
  grid.print(page);
  if (complete) return;
  page.blank();
  page.prose({" "}, "--wide shows all metrics.", Style::dim);
}

}  // namespace

std::string render_side_by_side(const SideBySide& compared, const TableOptions& options) {
  Page page(options);
  print_results(compared, page);
  print_facts(" Surroundings that differ", compared.surroundings, page);
  print_facts(" Traffic that differs", compared.traffic, page);
  print_kinds(compared, page);
  print_doubts(compared, page);
  if (!compared.points.empty()) {
    print_tallies(compared, page);
    print_runs(compared, page);
    print_comparison(compared, options, page);
  }
  page.blank();
  if (compared.points.empty())
    page.prose({" "}, "No load was measured in A and in another one.", Style::bold);
  for (const auto& sentence : unmatched_sentences(compared)) page.prose({" "}, sentence);
  if (compared.points.empty()) return page.take();
  for (const auto& note : reading_notes(compared)) page.prose({" "}, note, Style::dim);
  return page.take();
}

}  // namespace infermeter
