#include "report/tables/bar_plot.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <string_view>

#include "report/text/text.hpp"

namespace infermeter {
namespace {

constexpr std::size_t kAxisColumns = 11;  // label, space, axis
constexpr std::size_t kMostColumns = 120;

/// Glyphs of rising fill, the empty one first, and the parts of the axis.
struct Glyphs {
  std::vector<std::string_view> fill;
  std::string_view upright, corner, level, tick;
};

const Glyphs& glyphs_of(bool ascii) {
  static const Glyphs kAscii{{" ", ".", ":", "#"}, "|", "+", "-", "+"};
  static const Glyphs kBlocks{{" ", "▁", "▂", "▃", "▄", "▅", "▆", "▇", "█"}, "│", "└", "─", "┬"};
  return ascii ? kAscii : kBlocks;
}

double highest(const std::vector<double>& values) {
  double out = 0;
  for (const double value : values) out = std::isnan(value) ? out : std::max(out, value);
  return out;
}

/// What of one row is filled, as a place among the glyphs; a value above 0 always shows.
std::size_t fill_of(double value, double top, unsigned row, unsigned rows, std::size_t steps) {
  if (std::isnan(value) || value <= 0 || top <= 0) return 0;
  const double filled = value / top * rows * static_cast<double>(steps);
  const auto all = std::max<long>(1, std::lround(filled));
  const auto below = static_cast<long>(row * steps);
  return static_cast<std::size_t>(std::clamp<long>(all - below, 0, static_cast<long>(steps)));
}

std::string row_text(const BarPlot& plot, const Glyphs& glyphs, double top, unsigned row) {
  std::string out;
  for (const double value : plot.values)
    out += glyphs.fill[fill_of(value, top, row, plot.rows, glyphs.fill.size() - 1)];
  return out;
}

std::size_t column_of(const AxisLabel& label, std::size_t width) {
  return static_cast<std::size_t>(std::lround(label.at * static_cast<double>(width - 1)));
}

/// Labels that fit, each centred beneath its tick as far as the ends allow.
void print_labels(const BarPlot& plot, const Glyphs& glyphs, Page& page) {
  const std::size_t width = plot.values.size();
  std::vector<std::string_view> axis(width, glyphs.level);
  std::string words(kAxisColumns, ' ');
  for (const auto& label : plot.labels) {
    const std::size_t at = column_of(label, width) + kAxisColumns;
    const std::size_t taken = columns(label.text);
    const std::size_t centred = at - std::min(at, taken / 2);
    const std::size_t from =
        std::max(kAxisColumns - 1, std::min(centred, page.width() - std::min(page.width(), taken)));
    if (from < columns(words) + (columns(words) > kAxisColumns ? 2 : 0) && columns(words) > kAxisColumns)
      continue;
    axis[at - kAxisColumns] = glyphs.tick;
    words = pad_right(words.substr(0, from), from) + label.text;
  }
  std::string line;
  for (const auto glyph : axis) line += glyph;
  page.line({{std::string(kAxisColumns - 1, ' ')}, {std::string(glyphs.corner) + line, Style::dim}});
  page.line({{words, Style::dim}});
}

}  // namespace

std::size_t plot_columns(const Page& page) {
  return std::min(kMostColumns, page.width() - std::min<std::size_t>(page.width() - 1, kAxisColumns));
}

void print_bars(const BarPlot& plot, bool ascii, Page& page) {
  if (plot.values.empty()) return;
  const Glyphs& glyphs = glyphs_of(ascii);
  const double top = highest(plot.values);
  page.items("", plot.title, 1);
  for (unsigned row = plot.rows; row-- > 0;) {
    const std::string label = row + 1 == plot.rows ? plot.top : row == 0 ? "0" : "";
    page.line({{pad_left(label, kAxisColumns - 2) + " ", Style::dim},
               {std::string(glyphs.upright), Style::dim},
               {row_text(plot, glyphs, top, row)}});
  }
  print_labels(plot, glyphs, page);
}

}  // namespace infermeter
