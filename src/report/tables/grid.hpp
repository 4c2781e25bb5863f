// Rows of figures under column heads, aligned on the decimal point within each column. Private to src/report.
#pragma once

#include <string>
#include <vector>

#include "report/text/page.hpp"

namespace infermeter {

class Grid {
 public:
  /// `corner` stands above the labels. Cells of a row answer to `heads`, in order; a missing one is blank.
  Grid(std::string corner, std::vector<std::string> heads);

  void row(Span label, std::vector<Span> cells);
  bool empty() const { return rows_.empty(); }

  /// Columns share the width that the page has left, within what reads well; they are as wide as their
  /// figures at least.
  void print(Page& page) const;

 private:
  struct Row {
    Span label;
    std::vector<Span> cells;
  };
  /// What a column takes before and from the decimal point on.
  struct Column {
    std::size_t whole = 0, fraction = 0, gap = 0;
    std::size_t total() const { return gap + whole + fraction; }
  };

  void print_html(Page& page) const;
  std::size_t label_columns(const Page& page) const;
  std::vector<Column> measure(const Page& page) const;
  std::vector<Column> measure_figures(const Page& page) const;

  std::string corner_;
  std::vector<std::string> heads_;
  std::vector<Row> rows_;
};

}  // namespace infermeter
