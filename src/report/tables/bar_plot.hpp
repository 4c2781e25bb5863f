// Columns of block characters over an axis with labels. Private to src/report.
#pragma once

#include <string>
#include <vector>

#include "report/text/page.hpp"

namespace infermeter {

struct AxisLabel {
  double at = 0;  // of the width, in [0, 1]
  std::string text;
};

struct BarPlot {
  std::vector<Span> title;     // items
  std::vector<double> values;  // a column each; NaN: nothing there
  std::string top;             // what the highest value is called; the axis begins at 0
  std::vector<AxisLabel> labels;
  unsigned rows = 4;
};

/// The columns that are left for values on this page.
std::size_t plot_columns(const Page& page);

void print_bars(const BarPlot& plot, bool ascii, Page& page);

}  // namespace infermeter
