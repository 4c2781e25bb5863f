// A table as a value: columns with heads, rows with cells and notes. The terminal, Markdown and HTML show the
// same value. Private to src/report.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "report/text/page.hpp"

namespace infermeter {

enum class CellKind {
  words,         // left-aligned
  name,          // words that a user chose: left-aligned, as code where a format has code
  right,         // right-aligned words
  written,       // a figure as text, "12 / 13": aligned on the decimal point, like all that follow
  number,        // three significant digits
  milliseconds,  // shown in seconds where all of the column are large; the head has the unit
  percent,       // of a share; the head has the unit
  money,         // the head has the currency
};

struct Cell {
  std::string text;             // words, name, right, written
  std::optional<double> value;  // the other kinds
  Style style = Style::plain;
  std::string sure;  // its interval: "±1.2", "(+16.1 … +23.0)"; of a value from its bounds
  std::optional<double> low, high;
  bool present() const { return value.has_value() || !text.empty(); }
};

struct Table {
  /// Where a terminal shows the intervals of a column's cells. Markdown shows them beside the cells, HTML
  /// beneath.
  enum class Sure {
    beneath,
    beside,  // beneath only if the table then takes fewer banks
    roomy,   // beside, only on pages of 100 columns and more
  };
  struct Column {
    std::string head;  // "TTFT"
    std::string sub;   // beneath it: "p50"; the kind's unit is added
    CellKind kind = CellKind::number;
    int rank = 0;         // 0: always shown, like the names of rows; else a higher rank is left out sooner
    bool joined = false;  // describes the column before it: both are shown or neither
    bool breaks = false;  // texts: a row whose text is too long for the page has its other cells beneath
    Sure sure = Sure::beneath;
    std::size_t least = 0;  // width
    Style head_style = Style::dim, sub_style = Style::dim;
  };
  struct Row {
    std::vector<Cell> cells;  // belong to the columns, in order; a missing one is blank
    std::string unit;  // applies to all its cells, where the columns have none; stands behind the first one
    Span note;         // behind the row where it fits, else beneath
    std::vector<std::string> below;  // one paragraph each
  };
  struct Section {
    Span title;
    std::string note;  // behind the title
    std::vector<Row> rows;
  };

  std::vector<Column> columns;
  std::vector<Section> sections;  // units and widths of columns are common to all sections
  bool even = false;              // columns share the width evenly, within what reads well
  bool sub_once = false;          // sub-heads stand above the first section only

  /// Begins a section; the following rows belong to it.
  void section(Span title, std::string note = {});
  /// Adds to the last section, or to a new one without a title if there is none.
  Row& row(std::vector<Cell> cells, Span note = {});
  bool empty() const;
};

/// A column's texts, the same in every renderer.
struct WrittenColumn {
  Table::Column column;                   // its sub-head with the unit
  std::size_t index = 0;                  // index in the table
  std::vector<std::string> cells, sures;  // for the rows of all sections
  bool left() const { return column.kind == CellKind::words || column.kind == CellKind::name; }
};

/// Leaves out a column without any cell, and one that describes a column that is left out.
std::vector<WrittenColumn> written_columns(const Table& table);

/// For a page of the terminal or of HTML. With `all`, columns that do not fit go into further banks of the
/// same rows; else they are left out. False where some were left out.
bool print_table(const Table& table, Page& page, bool all = true);

/// GitHub's Markdown, all columns: a title is a heading, a note the last column, `below` is left out.
std::string markdown_table(const Table& table);

/// Every column. The title of a single section is the head of the rows' names if these have none.
std::string html_table(const Table& table);

}  // namespace infermeter
