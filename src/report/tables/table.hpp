// A table as a value: columns with heads, rows with cells and notes. The terminal, Markdown and HTML show the
// same value. Private to src/report.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "report/text/page.hpp"

namespace infermeter {

enum class CellKind {
  words,         // to the left
  name,          // words that somebody chose: to the left, as code where a format has code
  right,         // words to the right
  written,       // a figure as text, "12 / 13": aligned on the decimal point, as all that follow
  number,        // three significant digits
  milliseconds,  // shown in seconds where all of the column are large; the unit stands in the head
  percent,       // of a share; the unit stands in the head
  money,         // the currency stands in the head
};

struct Cell {
  std::string text;             // words, name, right, written
  std::optional<double> value;  // the other kinds
  Style style = Style::plain;
  std::string sure;  // how sure it is: "±1.2", "(+16.1 … +23.0)"; of a value from its bounds
  std::optional<double> low, high;
  bool present() const { return value.has_value() || !text.empty(); }
};

struct Table {
  /// Where a terminal shows how sure the cells of a column are. Markdown has it beside them, HTML beneath.
  enum class Sure {
    beneath,
    beside,  // beneath only where the table takes fewer banks so
    roomy,   // beside, on pages of 100 columns and more only
  };
  struct Column {
    std::string head;  // "TTFT"
    std::string sub;   // beneath it: "p50"; a unit of the kind's own is added
    CellKind kind = CellKind::number;
    int rank = 0;  // 0: stands always, as the names of rows do; else the higher, the sooner it gives way
    bool joined = false;  // tells of the column before it: they come and go together
    bool breaks = false;  // texts: a row whose text is too long for the page has its other cells beneath
    Sure sure = Sure::beneath;
    std::size_t least = 0;  // width
    Style head_style = Style::dim, sub_style = Style::dim;
  };
  struct Row {
    std::vector<Cell> cells;         // answer to the columns, in order; a missing one is blank
    std::string unit;                // of all its cells, where the columns have none; behind the first one
    Span note;                       // behind the row where it fits, else beneath
    std::vector<std::string> below;  // a paragraph each
  };
  struct Section {
    Span title;
    std::string note;  // behind the title
    std::vector<Row> rows;
  };

  std::vector<Column> columns;
  std::vector<Section> sections;  // units and widths of columns are those of all
  bool even = false;              // columns share the width evenly, within what reads well
  bool sub_once = false;          // sub-heads stand above the first section alone

  /// Begins a section; the rows that follow are its.
  void section(Span title, std::string note = {});
  /// In the last section; in one without a title where there is none.
  Row& row(std::vector<Cell> cells, Span note = {});
  bool empty() const;
};

/// A column's texts, as every renderer shows them.
struct WrittenColumn {
  Table::Column column;                   // its sub-head with the unit
  std::size_t index = 0;                  // among the table's
  std::vector<std::string> cells, sures;  // of the rows of all sections
  bool left() const { return column.kind == CellKind::words || column.kind == CellKind::name; }
};

/// A column without a cell is left out, and one that tells of a column which is not there.
std::vector<WrittenColumn> written_columns(const Table& table);

/// On a page of the terminal or of HTML. With `all`, columns that do not fit stand in further banks of the
/// same rows; else they are left out. False where some were.
bool print_table(const Table& table, Page& page, bool all = true);

/// GitHub's Markdown, all columns: a title is a heading, a note the last column, `below` is left out.
std::string markdown_table(const Table& table);

/// Every column; the title of the only section is the head of the rows' names where these have none.
std::string html_table(const Table& table);

}  // namespace infermeter
