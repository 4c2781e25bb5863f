#include "report/tables/verdict_lines.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "infermeter/report/table.hpp"
#include "report/tables/listing.hpp"
#include "report/text/text.hpp"
#include "report/words/verdict_words.hpp"

namespace infermeter {
namespace {

constexpr std::ptrdiff_t kManyAlike = 3;

Style style_of(Decision decision) {
  if (decision == Decision::pass) return Style::good;
  return decision == Decision::fail ? Style::bad : Style::warn;
}

enum VerdictColumn : std::size_t { state, text, value, bounds, limit, medians, where };
constexpr std::size_t kVerdictColumns = where + 1;

struct Row {
  Style style = Style::plain;
  std::array<std::string, kVerdictColumns> cells;
  std::string remark;
};

Row row_of(const Judgement& j) {
  return {style_of(j.decision),
          {std::string(state_word(j.decision)), j.text, value_words(j), interval_words(j), limit_words(j),
           medians_words(j), j.where},
          remark_words(j)};
}

/// Where no head tells what a cell is.
void mark_cells(Row& row) {
  auto& between = row.cells[bounds];
  auto& bound = row.cells[limit];
  if (!between.empty()) between = "(" + between + ")";
  if (!bound.empty()) bound.insert(0, "limit ");
}

bool passes(const Judgement& judgement, const std::string& text) {
  return judgement.decision == Decision::pass && judgement.text == text &&
         judgement.kind == JudgementKind::assertion;
}

std::vector<Row> rows_of(const Verdict& verdict, bool each) {
  std::vector<Row> rows;
  std::vector<std::string> told;
  for (const auto& judgement : verdict.judgements) {
    const auto alike =
        std::ranges::count_if(verdict.judgements, [&](const auto& j) { return passes(j, judgement.text); });
    if (each || !passes(judgement, judgement.text) || alike < kManyAlike) {
      rows.push_back(row_of(judgement));
    } else if (std::ranges::find(told, judgement.text) == told.end()) {
      told.push_back(judgement.text);
      Row& row = rows.emplace_back(row_of({.text = judgement.text}));
      row.cells[where] = fmt::format("at {} places", alike);
    }
  }
  return rows;
}

/// Columns as wide as what stands in them. A row whose text would make the page too narrow for all of them is
/// left out of that, and has its figures beneath.
class Layout {
 public:
  Layout(const std::vector<Row>& rows, bool with_medians, const Page& page) : page_columns_(page.width()) {
    std::size_t longest = 0;
    for (const auto& row : rows) longest = std::max(longest, columns(page.fit(row.cells[text])));
    do {
      widths_ = {};
      for (const auto& row : rows) {
        const bool too_long = columns(page.fit(row.cells[text])) > longest;
        for (std::size_t c = 0; c < kVerdictColumns; ++c) {
          const bool counts = c == state || (!too_long && (c != medians || with_medians));
          if (counts) widths_[c] = std::max(widths_[c], columns(page.fit(row.cells[c])));
        }
      }
    } while (total() > page_columns_ && longest-- > 0);
  }
  bool fits(const Row& row, const Page& page) const {
    return total() <= page_columns_ && columns(page.fit(row.cells[text])) <= widths_[text];
  }
  bool all_fit(const std::vector<Row>& rows, const Page& page) const {
    return std::ranges::all_of(rows, [&](const Row& row) { return fits(row, page); });
  }
  /// Where the second column begins.
  std::size_t indent() const { return 1 + widths_[state] + kGap; }
  void print(const Row& row, Page& page) const {
    std::vector<Span> spans{{" "}};
    for (std::size_t c = 0; c < kVerdictColumns; ++c) {
      if (widths_[c] == 0) continue;
      std::string cell = page.fit(row.cells[c]);
      cell = c == value ? pad_left(std::move(cell), widths_[c]) : pad_right(std::move(cell), widths_[c]);
      spans.push_back({std::move(cell), style(c, row)});
      spans.push_back({std::string(kGap, ' ')});
    }
    page.line(spans);
  }
  void print_stacked(const Row& row, Page& page) const {
    page.prose({" " + pad_right(row.cells[state], widths_[state]) + "  ", row.style}, row.cells[text]);
    std::vector<Span> items;
    const bool both = !row.cells[value].empty() && !row.cells[bounds].empty();
    const std::string figures = row.cells[value] + (both ? " " : "") + row.cells[bounds];
    for (const auto& item : {figures, row.cells[limit], row.cells[medians], row.cells[where]}) {
      if (!item.empty()) items.push_back({item});
    }
    if (!items.empty()) page.items(std::string(indent() - 1, ' '), items, indent());
  }

 private:
  static constexpr std::size_t kGap = 2;
  std::size_t total() const {
    std::size_t sum = 0;
    for (const auto width : widths_) sum += width > 0 ? width + kGap : 0;
    return sum + 1 - std::min(sum, kGap);
  }
  static Style style(std::size_t column, const Row& row) {
    if (column == state) return row.style;
    if (column == value) return Style::bold;
    return column == text ? Style::plain : Style::dim;
  }

  std::size_t page_columns_;
  std::array<std::size_t, kVerdictColumns> widths_{};
};

void print_rows(std::vector<Row> rows, Page& page) {
  std::ranges::for_each(rows, mark_cells);
  Layout layout(rows, true, page);
  if (!layout.all_fit(rows, page)) layout = Layout(rows, false, page);
  for (const auto& row : rows) {
    if (layout.fits(row, page)) {
      layout.print(row, page);
    } else {
      layout.print_stacked(row, page);
    }
    if (!row.remark.empty()) page.prose({std::string(layout.indent(), ' ')}, row.remark, Style::dim);
  }
}

/// A gate's bounds are those that decide, each with a chance of its own (docs/gate.md).
void print_table(const std::vector<Row>& rows, bool gated, Page& page) {
  const std::pair<VerdictColumn, PageTable::Column> all[] = {
      {text, {"", "", true}},        {state, {"", "", true}},
      {value, {"Value", "", false}}, {bounds, {gated ? "Bounds" : "95 % interval", "", false}},
      {limit, {"Limit", "", false}}, {medians, {"Baseline → candidate", "", false}},
      {where, {"Where", "", true}}};
  PageTable table;
  auto& out = table.sections.emplace_back().rows;
  for (const auto& row : rows) out.push_back({.cells = {}, .note = {row.remark, Style::dim}});
  for (const auto& [c, column] : all) {
    if (std::ranges::all_of(rows, [c = c](const Row& row) { return row.cells[c].empty(); })) continue;
    table.columns.push_back(column);
    for (std::size_t i = 0; i < rows.size(); ++i)
      out[i].cells.push_back({rows[i].cells[c], c == state ? rows[i].style : Style::plain});
  }
  if (!rows.empty()) page.table(table);
}

}  // namespace

void print_units(const Verdict& verdict, Page& page) {
  if (verdict.units.empty()) return;
  std::vector<ListingColumn> heads{{verdict.basis == Basis::runs ? "Run" : "Pair", "", CellKind::count}};
  for (const auto& change : verdict.units.front().changes)
    heads.push_back({change.first, "", CellKind::count, 1});
  Listing listing(heads);
  for (const auto& unit : verdict.units) {
    std::vector<Cell> cells{{fmt::format("{}", unit.number)}};
    for (const auto& change : unit.changes)
      cells.push_back({change.second ? change_words(*change.second) : "–"});
    listing.row(std::move(cells),
                {unit.set_aside.empty() ? "" : "set aside: " + unit.set_aside, Style::warn});
  }
  listing.print(page, true);
}

void print_judgements(const Verdict& verdict, bool wide, Page& page) {
  if (page.html()) {
    print_table(rows_of(verdict, true), verdict.basis != Basis::assertions, page);
  } else {
    print_rows(rows_of(verdict, wide), page);
  }
  std::vector<Span> end{
      {" " + exit_words(verdict), verdict.trustworthy ? style_of(verdict.decision) : Style::bad}};
  if (!verdict.ended.empty()) end.push_back({as_sentence(verdict.ended)});
  page.items("", end, 1);
  for (const auto& note : verdict.notes) page.prose({" "}, as_sentence(note), Style::dim);
  if (!wide || page.html() || verdict.units.empty()) return;
  page.blank();
  print_units(verdict, page);
}

std::string render_verdict(const Verdict& verdict, const TableOptions& options) {
  Page page(options);
  print_judgements(verdict, options.wide, page);
  return page.take();
}

}  // namespace infermeter
