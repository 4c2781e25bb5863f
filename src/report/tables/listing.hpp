// A row a thing (a load point, a target, a class of traffic) under two lines of heads: what and unit. Columns
// scale and align their own figures; where the page is too narrow the least important ones give way, or go
// into a further bank of the same rows beneath. Private to src/report.
#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "report/text/page.hpp"

namespace infermeter {

enum class CellKind {
  words,         // to the left
  count,         // whole numbers and "12 / 13", to the right
  number,        // three significant digits
  milliseconds,  // shown in seconds where all of the column are large; the unit stands in the head
  percent,       // of a share; the unit stands in the head
  money,         // the currency stands in the head
};

struct ListingColumn {
  std::string head;  // "TTFT"
  std::string sub;   // beneath it: "p50"; a unit of the kind's own is added
  CellKind kind = CellKind::number;
  int rank = 0;         // 0: names the row, stands first and always; else the higher, the sooner it gives way
  bool joined = false;  // tells of the column before it: they come and go together
};

struct Cell {
  std::string text;             // words, count
  std::optional<double> value;  // the other kinds
  Style style = Style::plain;
  bool present() const { return value.has_value() || !text.empty(); }
};

class Listing {
 public:
  explicit Listing(std::vector<ListingColumn> columns) : columns_(std::move(columns)) {}

  /// The rows that follow stand under a title and heads of their own; columns, units and widths are those of
  /// all sections.
  void section(Span title);
  /// Cells answer to the columns, in order. Notes stand behind the row where they fit, else beneath it.
  void row(std::vector<Cell> cells, Span note = {});
  /// A line beneath the last row.
  void below(std::string line) { rows_.back().below.push_back(std::move(line)); }

  /// A column without a cell is left out. With `all` what does not fit goes into further banks; else it is
  /// left out. False where something was.
  bool print(Page& page, bool all) const;

 private:
  struct Row {
    std::vector<Cell> cells;
    Span note;
    std::vector<std::string> below;
  };
  /// A column as it will be printed: its cells as text, and what they take.
  struct Laid {
    std::size_t index = 0;
    std::string head, sub;
    std::vector<std::string> cells;
    std::size_t whole = 0, fraction = 0;
    std::size_t width() const { return whole + fraction; }
  };

  struct Section {
    Span title;
    std::size_t from = 0;  // its first row
  };
  using Bank = std::vector<Laid>;

  bool in_seconds(std::size_t index) const;
  std::vector<std::size_t> filled_columns() const;
  std::vector<Section> sections() const;
  void print_html(Page& page) const;
  Laid lay(std::size_t index, const Page& page) const;
  std::vector<Laid> take_fitting(const std::vector<Laid>& keys, std::vector<Laid>& figures,
                                 std::size_t width) const;
  std::string placed(const std::string& text, const Laid& laid) const;
  void print_heads(const std::vector<Laid>& bank, std::size_t gap, Page& page) const;
  void print_bank(const Bank& bank, std::pair<std::size_t, std::size_t> rows, bool with_notes,
                  Page& page) const;

  std::vector<ListingColumn> columns_;
  std::vector<Row> rows_;
  std::vector<Section> sections_;
};

}  // namespace infermeter
