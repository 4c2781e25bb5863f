#include "report/tables/table.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <limits>

#include "infermeter/base/units.hpp"
#include "report/media/media.hpp"
#include "report/tables/figures.hpp"

namespace infermeter {
namespace {

using Rows = std::vector<const Table::Row*>;

Rows rows_of_all(const Table& table) {
  Rows rows;
  for (const auto& section : table.sections) {
    for (const auto& row : section.rows) rows.push_back(&row);
  }
  return rows;
}

const Cell* cell_at(const Table::Row& row, std::size_t column) {
  return column < row.cells.size() ? &row.cells[column] : nullptr;
}

// One unit per column, so that its figures can be compared at a glance.
bool in_seconds(const Rows& rows, std::size_t column) {
  double least = std::numeric_limits<double>::infinity(), most = 0;
  for (const auto* row : rows) {
    const Cell* cell = cell_at(*row, column);
    if (!cell || !cell->value) continue;
    least = std::min(least, *cell->value);
    most = std::max(most, *cell->value);
  }
  return shown_in_seconds(least, most);
}

std::string_view unit_of(CellKind kind, bool seconds) {
  if (kind == CellKind::milliseconds) return seconds ? "s" : "ms";
  return kind == CellKind::percent ? "%" : "";
}

bool is_text(CellKind kind) { return kind < CellKind::written; }

std::string written(const Cell& cell, CellKind kind, bool seconds) {
  if (!cell.value) return cell.text.empty() && !is_text(kind) ? "–" : cell.text;
  if (kind == CellKind::percent) return *cell.value == 0 ? "0" : bare_percent(*cell.value);
  if (kind == CellKind::money) return format_number(*cell.value);
  return figure(seconds ? *cell.value / 1000 : *cell.value);
}

std::string written_sure(const Cell& cell, bool seconds) {
  if (!cell.value || !cell.sure.empty()) return cell.sure;
  return sureness({.value = *cell.value, .low = cell.low, .high = cell.high}, seconds ? 1e-3 : 1);
}

WrittenColumn column_at(const Table& table, const Rows& rows, std::size_t index) {
  WrittenColumn out{.column = table.columns[index], .index = index};
  const CellKind kind = out.column.kind;
  const bool seconds = kind == CellKind::milliseconds && in_seconds(rows, index);
  const std::string_view unit = unit_of(kind, seconds);
  out.column.sub.append(out.column.sub.empty() || unit.empty() ? "" : " ").append(unit);
  for (const auto* row : rows) {
    const Cell* cell = cell_at(*row, index);
    out.cells.push_back(cell ? written(*cell, kind, seconds) : std::string());
    out.sures.push_back(cell ? written_sure(*cell, seconds) : std::string());
  }
  return out;
}

bool has_cell(const Rows& rows, std::size_t column) {
  return std::ranges::any_of(rows, [&](const auto* row) {
    const Cell* cell = cell_at(*row, column);
    return cell && cell->present();
  });
}

std::string head_of(const Table::Column& column) {
  return column.head + (column.head.empty() || column.sub.empty() ? "" : " ") + column.sub;
}

/// Has no cell of its own: its text continues the cell before it.
bool goes_on(const WrittenColumn& written) {
  return written.column.joined && head_of(written.column).empty();
}

std::string cell_text(const WrittenColumn& written, const Table::Row& row, std::size_t r) {
  const std::string& text = written.cells[r];
  if (text.empty()) return text;
  if (written.column.kind == CellKind::name) return markdown_cell_code(text);
  const Style style = row.cells[written.index].style;
  const bool stands_out = goes_on(written) && (style == Style::good || style == Style::bad);
  std::string out = stands_out ? fmt::format("**{}**", markdown_text(text)) : markdown_text(text);
  if (!written.sures[r].empty()) out += " " + markdown_text(written.sures[r]);
  return out;
}

class MarkdownTable {
 public:
  explicit MarkdownTable(const Table& table) : table_(table), columns_(written_columns(table)) {
    for (const auto& section : table.sections)
      noted_ |= std::ranges::any_of(section.rows, [](const auto& row) { return !row.note.text.empty(); });
  }

  std::string text() const {
    std::string out;
    std::size_t r = 0;
    for (const auto& section : table_.sections) {
      if (!out.empty()) out += '\n';
      if (!section.title.text.empty())
        out += "### " + markdown_text(section.title.text) +
               (section.note.empty() ? "" : ", " + section.note) + "\n\n";
      out += heads();
      for (const auto& row : section.rows) out += line_of(row, r++);
    }
    return out;
  }

 private:
  std::string heads() const {
    std::string heads = "|", rule = "|";
    for (const auto& written : columns_) {
      if (goes_on(written)) continue;
      const std::string head = markdown_text(head_of(written.column));
      heads += head.empty() ? " |" : " " + head + " |";
      rule += written.left() ? "---|" : "---:|";
    }
    if (noted_) {
      heads += " |";
      rule += "---|";
    }
    return heads + "\n" + rule + "\n";
  }

  std::string line_of(const Table::Row& row, std::size_t r) const {
    std::vector<std::string> cells;
    for (const auto& written : columns_) {
      std::string text = cell_text(written, row, r);
      if (&written == &columns_.front() && !row.unit.empty()) text += ", " + row.unit;
      if (!goes_on(written))
        cells.push_back(std::move(text));
      else if (!text.empty())
        cells.back() += " " + text;
    }
    if (noted_) cells.push_back(markdown_text(row.note.text));
    std::string line = "|";
    for (const auto& cell : cells) line += cell.empty() ? " |" : " " + cell + " |";
    return line + "\n";
  }

  const Table& table_;
  std::vector<WrittenColumn> columns_;
  bool noted_ = false;
};

}  // namespace

void Table::section(Span title, std::string note) {
  sections.push_back({std::move(title), std::move(note), {}});
}

Table::Row& Table::row(std::vector<Cell> cells, Span note) {
  if (sections.empty()) sections.emplace_back();
  return sections.back().rows.emplace_back(Row{std::move(cells), {}, std::move(note), {}});
}

bool Table::empty() const {
  return std::ranges::all_of(sections, [](const auto& s) { return s.rows.empty(); });
}

std::vector<WrittenColumn> written_columns(const Table& table) {
  const Rows rows = rows_of_all(table);
  std::vector<WrittenColumn> out;
  for (std::size_t c = 0; c < table.columns.size(); ++c) {
    const bool follows = !out.empty() && out.back().index + 1 == c;
    if (has_cell(rows, c) && (follows || !table.columns[c].joined)) out.push_back(column_at(table, rows, c));
  }
  return out;
}

std::string markdown_table(const Table& table) { return MarkdownTable(table).text(); }

}  // namespace infermeter
