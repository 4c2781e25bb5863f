#include <string_view>
#include "infermeter/report/formats.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "infermeter/base/units.hpp"
#include "report/page/html_parts.hpp"
#include "report/tables/figures.hpp"
#include "report/tables/metric_grid.hpp"
#include "report/tables/sections.hpp"
#include "report/text/text.hpp"

namespace infermeter {
namespace {

struct AxisLabel {
  double at = 0;  // of the width, in [0, 1]
  std::string text;
};

struct BarPlot {
  std::vector<Span> title;     // items
  std::vector<double> values;  // one per column; NaN: no value
  std::string top;             // the label of the highest value; the axis begins at 0
  std::vector<AxisLabel> labels;
  unsigned rows = 4;
};

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

/// The filled part of one row, as an index into the glyphs; a value above 0 is always visible.
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

/// Labels that fit, each centred beneath its tick as far as the edges allow.
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

/// A label of an axis: only the digits that it needs.
std::string round_milliseconds(double ms) {
  return ms >= 1000 ? fmt::format("{:.6g} s", ms / 1000) : fmt::format("{:.6g} ms", ms);
}

std::string short_milliseconds(double ms) {
  return ms >= 1000 ? format_number(ms / 1000) + " s" : figure(ms) + " ms";
}

/// Sums of neighbours, or parts of one value, so that the values fill the columns and the total stays the
/// same.
std::vector<double> shared_out(const std::vector<double>& values, std::size_t count) {
  std::vector<double> out(count);
  const double step = static_cast<double>(values.size()) / static_cast<double>(count);
  for (std::size_t c = 0; c < count; ++c) {
    const double from = step * static_cast<double>(c), to = from + step;
    for (auto i = static_cast<std::size_t>(from); i < values.size() && static_cast<double>(i) < to; ++i) {
      const double part = std::min(to, static_cast<double>(i + 1)) - std::max(from, static_cast<double>(i));
      out[c] += values[i] * std::max(0.0, part);
    }
  }
  return out;
}

/// Means of neighbours, without missing values.
std::vector<double> averaged(const std::vector<double>& values, std::size_t count) {
  std::vector<double> known, weight;
  for (const double value : values) {
    known.push_back(std::isnan(value) ? 0 : value);
    weight.push_back(std::isnan(value) ? 0 : 1);
  }
  std::vector<double> out = shared_out(known, count);
  const std::vector<double> weights = shared_out(weight, count);
  for (std::size_t c = 0; c < count; ++c)
    out[c] = weights[c] > 0 ? out[c] / weights[c] : std::numeric_limits<double>::quiet_NaN();
  return out;
}

double value_at(const Distribution& distribution, double share) {
  const auto it =
      std::ranges::lower_bound(distribution.cdf, share, {}, [](const auto& p) { return p.second; });
  return it == distribution.cdf.end() ? distribution.cdf.back().first : it->first;
}

/// 1, 2, 5 of each decade.
std::vector<double> decade_values(double low, double high) {
  std::vector<double> out;
  for (double decade = std::pow(10, std::floor(std::log10(low))); decade <= high; decade *= 10) {
    for (const double digit : {1, 2, 5}) {
      if (digit * decade >= low && digit * decade <= high) out.push_back(digit * decade);
    }
  }
  return out;
}

/// Multiples of the largest 1, 2 or 5 of a decade that gives at least three.
std::vector<double> even_values(double low, double high) {
  const double rough = (high - low) / 3;
  const double decade = std::pow(10, std::floor(std::log10(rough)));
  const double step = decade * (rough >= 5 * decade ? 5 : rough >= 2 * decade ? 2 : 1);
  std::vector<double> out;
  for (double i = std::ceil(low / step); i * step <= high; ++i) out.push_back(i * step);
  return out;
}

std::vector<double> round_values(double low, double high) {
  constexpr double kFewDecades = 6;  // within this ratio 1, 2, 5 would be too few
  return high / low < kFewDecades ? even_values(low, high) : decade_values(low, high);
}

/// At most `most` of them, evenly spaced.
std::vector<double> thinned(const std::vector<double>& values, std::size_t most) {
  const std::size_t every = (values.size() + most - 1) / std::max<std::size_t>(1, most);
  std::vector<double> out;
  for (std::size_t i = 0; i < values.size(); i += std::max<std::size_t>(1, every)) out.push_back(values[i]);
  return out;
}

std::vector<AxisLabel> log_labels(const Distribution& distribution) {
  const double low = distribution.edges.front(), high = distribution.edges.back();
  std::vector<AxisLabel> out;
  for (const double value : thinned(round_values(low, high), 8))
    out.push_back({std::log(value / low) / std::log(high / low), round_milliseconds(value)});
  if (out.empty()) out.push_back({0, short_milliseconds(low)});
  return out;
}

std::vector<Span> title_of(const Distribution& distribution, bool events) {
  std::vector<Span> items{{" " + chart_title(distribution.metric, events), Style::bold}};
  for (const int percent : {50, 95, 99})
    items.push_back(
        {fmt::format("p{} {}", percent, short_milliseconds(value_at(distribution, percent / 100.0)))});
  return items;
}

/// One chart after the other, on one page.
class Plotter {
 public:
  Plotter(bool ascii, Page& page) : ascii_(ascii), page_(page) {}

  void distribution(const Distribution& distribution, bool events) {
    BarPlot plot;
    plot.title = title_of(distribution, events);
    plot.values =
        shared_out(distribution.counts, std::min(plot_columns(page_), 3 * distribution.counts.size()));
    const double top = *std::ranges::max_element(plot.values) / static_cast<double>(distribution.count);
    plot.top = as_percent(top);
    plot.labels = log_labels(distribution);
    plot.rows = 6;
    print(plot);
  }

  void course(const Timeline& timeline, const std::vector<double>& values, const std::string& title,
              const std::string& unit) {
    const std::size_t count = std::min(plot_columns(page_), 3 * values.size());
    BarPlot plot;
    plot.title = {{" " + title, Style::bold}};
    plot.values = averaged(values, count);
    double top = 0;
    for (const double value : plot.values) top = std::isnan(value) ? top : std::max(top, value);
    if (top <= 0) return;
    plot.top = unit == "ms" ? short_milliseconds(top) : figure(top);
    plot.labels = time_labels(timeline);
    print(plot);
  }

 private:
  static std::vector<AxisLabel> time_labels(const Timeline& timeline) {
    const double length = timeline.step_s * static_cast<double>(timeline.in_flight.size());
    std::vector<AxisLabel> out;
    for (const double share : {0.0, 0.25, 0.5, 0.75, 1.0})
      out.push_back({share, fmt::format("{:.3g} s", timeline.from_s + share * length)});
    return out;
  }

  void print(const BarPlot& plot) {
    print_bars(plot, ascii_, page_);
    page_.blank();
  }

  bool ascii_;
  Page& page_;
};

/// The first one in the order of the catalogue that exists.
const Distribution* first_of(const PointCharts& charts, bool to_first_token) {
  for (const auto& shown : shown_figures(FigureOutput::charts)) {
    const auto* found = shown.figure->to_first_token == to_first_token
                            ? charts.find(std::string(shown.figure->name))
                            : nullptr;
    if (found) return found;
  }
  return nullptr;
}

void plot_point(const PointCharts& charts, bool events, bool ascii, Page& page) {
  Plotter plotter(ascii, page);
  if (const auto* ttft = first_of(charts, true)) plotter.distribution(*ttft, events);
  if (const auto* gaps = first_of(charts, false)) plotter.distribution(*gaps, events);
  if (!charts.gaps_kept) {
    page.prose({" "}, "The gaps between tokens were not saved (--no-save-gaps).", Style::dim);
    page.blank();
  }
  const Timeline& timeline = charts.timeline;
  plotter.course(timeline, timeline.in_flight, "In flight", "");
  plotter.course(timeline, timeline.output_tokens_per_s, events ? "Events/s out" : "Tokens/s out", "");
  plotter.course(timeline, timeline.ttft_p50_ms, "TTFT p50, by when it was sent", "ms");
}

}  // namespace

std::string render_plot(const RunResult& result, const Charts& charts, const TableOptions& options) {
  Page page(options);
  for (const auto& entry : charts.points) {
    const auto point = std::ranges::find_if(result.points, [&](const PointResult& p) {
      return p.point == entry.point && p.target == entry.target;
    });
    if (point == result.points.end()) continue;
    if (charts.points.size() > 1) {
      page.line({{" " + title_of(result, *point), Style::bold}});
      page.blank();
    }
    plot_point(entry, counts_events(*point), options.ascii, page);
  }
  if (charts.points.empty()) page.line({{" Nothing was measured: there is nothing to draw."}});
  return page.take();
}

}  // namespace infermeter
