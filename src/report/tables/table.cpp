#include "report/tables/table.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <limits>

#include "infermeter/base/units.hpp"
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

}  // namespace infermeter
