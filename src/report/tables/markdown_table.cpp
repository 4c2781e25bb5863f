#include <fmt/format.h>

#include <algorithm>

#include "report/tables/table.hpp"
#include "report/text/markdown_text.hpp"

namespace infermeter {
namespace {

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

std::string markdown_table(const Table& table) { return MarkdownTable(table).text(); }

}  // namespace infermeter
