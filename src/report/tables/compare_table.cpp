#include "infermeter/report/formats.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "infermeter/model/figures.hpp"
#include "report/media/media.hpp"
#include "report/tables/figures.hpp"
#include "report/tables/table.hpp"
#include "report/text/page.hpp"
#include "report/text/text.hpp"
#include "report/words/compare_words.hpp"
#include "report/words/health_words.hpp"

namespace infermeter {
namespace {

constexpr std::size_t kInFull = 2;  // loads; more are shown metric by metric
constexpr std::size_t kFactColumns = 18;

/// A row of failures is left out where nothing failed.
bool all_zero(const ComparedRow& row) {
  return std::ranges::all_of(
      row.cells, [](const auto& cell) { return cell.value.value_or(cell.reason.empty() ? 0 : 1) == 0; });
}

bool is_main(const ComparedRow& row) {
  return std::ranges::any_of(shown_figures(FigureOutput::compare_main), [&](const ShownFigure& shown) {
    return shown.figure->name == row.metric && shown.at.statistic == row.statistic;
  });
}

/// The end of a path says more than its beginning.
std::string shortened_path(const std::string& path, std::size_t width) {
  const std::size_t taken = columns(path);
  if (taken <= width) return path;
  return "…" + path.substr(first_code_points(path, taken - width + 1).size());
}

constexpr std::size_t kResultIndent = 4;

void print_results(const SideBySide& compared, Page& page) {
  for (std::size_t i = 0; i < compared.results.size(); ++i) {
    const ComparedResult& result = compared.results[i];
    const std::size_t room = page.width() - kResultIndent;
    std::vector<Span> items{{shortened_path(result.name, room)}};
    for (const auto& text : {result.source, result.model, result.start}) {
      if (!text.empty()) items.push_back({shorten(text, room, "…"), Style::dim});
    }
    page.items(" " + letter_of(i), items, kResultIndent);
  }
}

/// "kernel   A 6.1.0   B 6.12.3"; values too long for a line on lines of their own.
void print_fact(const ComparedFact& fact, Page& page) {
  std::vector<Span> items;
  std::size_t longest = 0;
  for (std::size_t i = 0; i < fact.values.size(); ++i) {
    items.push_back({letter_of(i) + " " + (fact.values[i].empty() ? "–" : fact.values[i])});
    longest = std::max(longest, columns(items.back().text));
  }
  std::string label = "   " + fact.name;
  const std::size_t room = page.width() - kFactColumns;
  if (longest <= room || page.html()) return page.items(label, items, kFactColumns);
  for (const auto& item : items) {
    const auto lines = wrap(item.text, room);
    for (const auto& line : lines)
      page.items(std::exchange(label, " "), {{shorten(line, room, "…")}}, kFactColumns);
  }
}

void print_facts(std::string_view title, const std::vector<ComparedFact>& facts, Page& page) {
  if (facts.empty()) return;
  page.blank();
  page.line({{std::string(title), Style::bold}});
  for (const auto& fact : facts) print_fact(fact, page);
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
               letter_of(i) + " is partial: it was stopped early, only finished requests are included.");
  }
}

std::string failed_words(const ComparedResult& result) {
  return part_words(result.failed, result.requests) +
         (result.failed < result.requests ? "; latencies are of the others" : "");
}

void print_health(const SideBySide& compared, Page& page) {
  if (std::ranges::all_of(compared.results, [](const auto& result) { return result.failed == 0; })) return;
  page.blank();
  for (std::size_t i = 0; i < compared.results.size(); ++i) {
    const ComparedResult& result = compared.results[i];
    if (result.failed == 0) continue;
    const bool good = result.health == HealthState::good;
    page.prose(good ? Span{"   "} : Span{" ! ", Style::warn}, letter_of(i) + ": " + failed_words(result));
  }
}

/// A result takes three columns: its figures, their changes, and a word for each.
Table table_without_rows(const SideBySide& compared) {
  Table table{.columns = {{"", "", CellKind::words}}, .sub_once = true};
  for (std::size_t i = 0; i < compared.results.size(); ++i) {
    const int rank = i == 0 ? 0 : 1;
    table.columns.push_back({.head = letter_of(i),
                             .sub = mark_of(compared.results[i]),
                             .kind = CellKind::written,
                             .rank = rank,
                             .sure = Table::Sure::roomy,
                             .head_style = Style::bold,
                             .sub_style = Style::warn});
    if (i == 0) continue;
    table.columns.push_back({.head = "vs A",
                             .sub = "",
                             .kind = CellKind::right,
                             .rank = rank,
                             .joined = true,
                             .sure = Table::Sure::beside});
    table.columns.push_back({"", "", CellKind::words, rank, true});
  }
  return table;
}

void add_row(const std::string& label, const ComparedRow& row, const ShownUnit& unit, Table& table) {
  std::vector<Cell> cells{{label}};
  for (std::size_t i = 0; i < row.cells.size(); ++i) {
    const ComparedCell& cell = row.cells[i];
    cells.push_back({value_text(cell, unit), {}, Style::plain, own_interval_text(cell, unit)});
    if (i == 0) continue;
    const Span word = word_of(cell);
    cells.push_back({change_text(row, cell), {}, word.style, change_interval_text(cell)});
    cells.push_back({word.text, {}, word.style});
  }
  table.row(std::move(cells)).unit = unit.name;
}

void add_load(const ComparedPoint& point, Table& table) {
  table.section({point_title(point), Style::bold}, runs_text(point));
  for (const auto& row : point.rows) add_row(row_label(row), row, shown_unit({&row}), table);
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

/// The loads, or their numbers where their titles would take too much of the page from the figures.
std::vector<std::string> row_labels(const SideBySide& compared, const Page& page) {
  constexpr std::size_t kLongest = 30, kPart = 3, kOf = 8;
  std::vector<std::string> titles;
  std::size_t longest = 0;
  for (const auto& point : compared.points) {
    titles.push_back(point_title(point));
    longest = std::max(longest, columns(titles.back()));
  }
  if (longest <= std::max(kLongest, page.width() * kPart / kOf)) return titles;
  for (std::size_t i = 0; i < titles.size(); ++i) titles[i] = fmt::format("load {}", i + 1);
  return titles;
}

/// What the numbers stand for.
void print_numbers(const SideBySide& compared, const std::vector<std::string>& labels, Page& page) {
  if (labels.front() == point_title(compared.points.front())) return;
  page.blank();
  for (std::size_t i = 0; i < labels.size(); ++i)
    page.prose({" " + pad_right(labels[i], labels.back().size()) + "  "}, point_title(compared.points[i]));
}

/// False where rows were left out.
bool add_by_metric(const SideBySide& compared, const std::vector<std::string>& labels, bool all,
                   Table& table) {
  bool complete = true;
  for (const auto* like : all_rows(compared)) {
    const auto rows = rows_like(compared, *like);
    const bool quiet = std::ranges::all_of(rows, [](const auto* row) { return all_zero(*row); });
    const bool shown = all || (is_main(*like) && !quiet);
    complete &= shown;
    if (!shown) continue;
    table.section({row_label(*like), Style::bold});
    for (std::size_t i = 0; i < compared.points.size(); ++i) {
      if (const auto* row = find_row(compared.points[i], *like))
        add_row(labels[i], *row, shown_unit(rows), table);
    }
  }
  return complete;
}

void print_tallies(const SideBySide& compared, Page& page) {
  page.blank();
  for (std::size_t i = 1; i < compared.results.size(); ++i)
    page.prose({" " + letter_of(i) + " against A: ", Style::bold}, tally(compared, i));
}

/// Beneath the tallies, if every load was measured equally often.
void print_runs(const SideBySide& compared, Page& page) {
  const std::string runs = runs_text(compared.points.front());
  const bool alike = std::ranges::all_of(
      compared.points, [&](const ComparedPoint& point) { return runs_text(point) == runs; });
  if (!alike || runs.empty() || compared.points.size() <= kInFull) return;
  page.prose({" "}, runs + " of each load, compared by run", Style::dim);
}

void print_comparison(const SideBySide& compared, const TableOptions& options, Page& page) {
  Table table = table_without_rows(compared);
  bool complete = true;
  if (compared.points.size() <= kInFull) {
    for (const auto& point : compared.points) add_load(point, table);
  } else {
    const auto labels = row_labels(compared, page);
    print_numbers(compared, labels, page);
    complete = add_by_metric(compared, labels, options.wide, table);
  }
  page.blank();
  print_table(table, page);
  if (complete) return;
  page.blank();
  page.prose({" "}, "--wide shows all metrics.", Style::dim);
}

std::string results_text(const SideBySide& compared) {
  std::string out;
  for (std::size_t i = 0; i < compared.results.size(); ++i) {
    const ComparedResult& result = compared.results[i];
    out += fmt::format("- **{}** {}", letter_of(i), markdown_text(result.name));
    for (const auto& text : {result.source, result.model, result.start}) {
      if (!text.empty()) out += ", " + markdown_text(text);
    }
    if (!result.trustworthy) out += ", **not to be trusted**";
    if (result.partial) out += ", **partial**";
    if (result.failed > 0) out += fmt::format(", **{}**", part_words(result.failed, result.requests));
    if (i > 0) out += fmt::format(": {}", tally(compared, i));
    out += '\n';
  }
  return out;
}

std::string warnings_text(const SideBySide& compared) {
  std::string out;
  for (std::size_t i = 0; i < compared.results.size(); ++i) {
    for (const auto& sentence : compared.results[i].differences_of_kind)
      out += fmt::format("> {}: {}\n", letter_of(i), markdown_text(sentence));
    for (const auto& doubt : compared.results[i].doubts)
      out += fmt::format("> {} is not to be trusted: {}\n", letter_of(i), markdown_text(doubt));
  }
  return out.empty() ? out : "\n> [!WARNING]\n" + out;
}

std::string facts_text(const SideBySide& compared) {
  Table table{.columns = {{"differs", "", CellKind::words}}};
  for (std::size_t i = 0; i < compared.results.size(); ++i)
    table.columns.push_back({letter_of(i), "", CellKind::words});
  for (const auto* facts : {&compared.surroundings, &compared.traffic}) {
    for (const auto& fact : *facts) {
      std::vector<Cell> cells{{fact.name}};
      for (const auto& value : fact.values) cells.push_back({value.empty() ? "–" : value});
      table.row(std::move(cells));
    }
  }
  return table.empty() ? std::string() : "\n" + markdown_table(table);
}

std::string folded_code(std::string_view title, const std::string& text) {
  return fmt::format("\n<details><summary>{}</summary>\n{}\n</details>\n", title, text);
}

}  // namespace

std::string render_side_by_side(const SideBySide& compared, const TableOptions& options) {
  Page page(options);
  print_results(compared, page);
  print_facts(" Environment that differs", compared.surroundings, page);
  print_facts(" Traffic that differs", compared.traffic, page);
  print_kinds(compared, page);
  print_doubts(compared, page);
  print_health(compared, page);
  if (!compared.points.empty()) {
    print_tallies(compared, page);
    print_runs(compared, page);
    print_comparison(compared, options, page);
  }
  page.blank();
  if (compared.points.empty())
    page.prose({" "}, "No load was measured in A and in another one.", Style::bold);
  for (const auto& sentence : left_out_sentences(compared)) page.prose({" "}, sentence);
  for (const auto& sentence : unmatched_sentences(compared)) page.prose({" "}, sentence);
  if (compared.points.empty()) return page.take();
  for (const auto& note : reading_notes(compared)) page.prose({" "}, note, Style::dim);
  return page.take();
}

std::string side_by_side_to_markdown(const SideBySide& compared) {
  std::string out =
      "## infermeter compare\n\n" + results_text(compared) + warnings_text(compared) + facts_text(compared);
  std::string tables;
  for (const auto& point : compared.points) {
    Table table = table_without_rows(compared);
    add_load(point, table);
    tables += "\n" + markdown_table(table);
  }
  // The tables of a sweep would bury the discussion in which they are posted.
  out += compared.points.size() > 1 ? folded_code(fmt::format("{} loads", compared.points.size()), tables)
                                    : tables;
  for (const auto& sentences : {left_out_sentences(compared), unmatched_sentences(compared)}) {
    for (const auto& sentence : sentences) out += "\n" + markdown_text(sentence) + "\n";
  }
  std::string notes;
  for (const auto& note : reading_notes(compared)) notes += "\n" + note + "\n";
  return out + folded_code("How to read it", notes);
}

}  // namespace infermeter
