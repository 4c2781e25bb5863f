#include "report/tables/metric_grid.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <iterator>

#include "infermeter/base/units.hpp"
#include "report/tables/figures.hpp"
#include "report/tables/table.hpp"
#include "report/text/text.hpp"

namespace infermeter {
namespace {

constexpr std::size_t kNameColumns = 21;                 // with the unit
constexpr std::size_t kLabelColumns = kNameColumns - 3;  // without " ms"

/// A row's unit: seconds where milliseconds would need too many digits.
struct RowUnit {
  std::string_view name;
  double scale;
};

RowUnit unit_of(const Figure& figure, const Metric& metric) {
  if (figure.unit != FigureUnit::milliseconds) return {"", 1};
  const Percentile* median = metric.find(50);
  const double typical = median ? median->value : metric.mean;
  return shown_in_seconds(typical, metric.max) ? RowUnit{"s", 1e-3} : RowUnit{symbol(figure.unit), 1};
}

/// In the order of the catalogue. In open loop the user waits from the intended time on, so figures from that
/// time are the main ones.
std::vector<const Figure*> rows_of(const PointResult& point, bool wide) {
  std::vector<ShownFigure> shown = shown_figures(FigureOutput::table);
  if (wide) std::ranges::copy(shown_figures(FigureOutput::wide), std::back_inserter(shown));
  std::ranges::stable_sort(shown, {}, [](const ShownFigure& one) { return one.at.order; });
  std::vector<const Figure*> rows;
  for (const auto& [figure, at] : shown) {
    const Metric* metric = find_distribution(point, *figure);
    if (metric && metric->count > 0 && tells_more(*figure, point, true)) rows.push_back(figure);
  }
  return rows;
}

/// The short label where the long one is too wide for 80 columns: "TTFT incl. delay".
/// For a rate the columns of the tail hold other percentiles, and its label names them: "TPS (p10 p5 p1)".
std::string label_of(const Figure& figure, bool events) {
  std::string label = figure_label(figure, events);
  if (label.size() > kLabelColumns) label = figure.brief();
  if (!figure.low_tail) return label;
  std::string tail;
  for (const double percentile : percentiles_of(figure)) {
    if (percentile < 50) tail += fmt::format("{}p{}", tail.empty() ? "" : " ", percentile);
  }
  return fmt::format("{} ({})", label, tail);
}

/// The main figures.
bool matters(const Figure& figure, bool open_loop) {
  return figure.headline && &headline_figure(figure, open_loop) == &figure &&
         (open_loop || figure.tells != FigureTells::from_intended);
}

constexpr double kMean = -1, kMin = -2, kMax = -3;

struct GridColumn {
  std::string_view head;
  double high, low;  // percentile of a latency; of a rate, the one on the other side
  int rank;
  bool wide_only = false;
  bool with_interval = false;
};

constexpr std::array<GridColumn, 8> kGridColumns{{{"min", kMin, kMax, 8, true},
                                                  {"mean", kMean, kMean, 4},
                                                  {"p50", 50, 50, 1, false, true},
                                                  {"p90", 90, 10, 5},
                                                  {"p95", 95, 5, 2, false, true},
                                                  {"p99", 99, 1, 3, false, true},
                                                  {"p99.9", 99.9, 0.1, 7, true},
                                                  {"max", kMax, kMin, 6}}};

std::string value_text(const Metric& metric, double which, double scale) {
  if (which == kMean) return figure(metric.mean * scale);
  if (which == kMin) return figure(metric.min * scale);
  if (which == kMax) return figure(metric.max * scale);
  const Percentile* found = metric.find(which);
  return found ? figure(found->value * scale) : "–";
}

/// The kinds of intervals in the grid, for the line that explains them.
struct Seen {
  bool half_widths = false, ranges = false, lower_bounds = false, upper_bounds = false;
};

/// ± would claim too little on one side: that is more than twice as long as the other one, and than a tenth
/// of the value.
bool is_skewed(const Percentile& percentile) {
  constexpr double most = 2, least_share = 0.1;
  if (!percentile.low || !percentile.high) return false;
  const auto [shorter, longer] =
      std::minmax({percentile.value - *percentile.low, *percentile.high - percentile.value});
  return shorter >= 0 && longer > most * shorter && longer > least_share * std::abs(percentile.value);
}

std::string interval_text(const Percentile& percentile, double scale) {
  if (!is_skewed(percentile)) return sureness(percentile, scale);
  return figure(*percentile.low * scale) + "…" + figure(*percentile.high * scale);
}

void note(const Percentile& percentile, Seen& seen) {
  seen.ranges |= is_skewed(percentile);
  seen.half_widths |= percentile.low && percentile.high && !is_skewed(percentile);
  seen.lower_bounds |= percentile.low && !percentile.high;
  seen.upper_bounds |= percentile.high && !percentile.low;
}

void add_row(const Figure& figure, const PointResult& point, const std::vector<GridColumn>& shown,
             Table& table, Seen& seen) {
  const Metric& metric = *find_distribution(point, figure);
  const RowUnit unit = unit_of(figure, metric);
  const bool first = matters(figure, point.load.open_loop);
  std::vector<Cell> cells{{label_of(figure, counts_events(point)), {}, first ? Style::bold : Style::plain}};
  for (const auto& column : shown) {
    const double which = figure.low_tail ? column.low : column.high;
    Cell& cell = cells.emplace_back();
    cell.text = value_text(metric, which, unit.scale);
    cell.style = first && which == 50 ? Style::bold : Style::plain;
    const Percentile* found = column.with_interval ? metric.find(which) : nullptr;
    if (!found) continue;
    cell.sure = interval_text(*found, unit.scale);
    note(*found, seen);
  }
  table.row(std::move(cells)).unit = unit.name;
}

/// What it takes until the tail of the first main figure is known within a quarter: "TTFT within 25 %: p95
/// about 900 requests". In one line of 80 columns.
std::string needed_words(const Figure& figure, const PointResult& point) {
  constexpr std::size_t most = 79;
  std::string text;
  for (const double which : {95.0, 99.0}) {
    const Percentile* found = find_distribution(point, figure)->find(figure.low_tail ? 100 - which : which);
    if (!found || found->needed.empty()) continue;
    const auto more = fmt::format("p{} {}", found->percentile, found->needed);
    if (text.empty()) {
      text = fmt::format("{} within 25 %: {}", figure.brief(), more);
    } else if (text.size() + 2 + more.size() < most) {
      text += ", " + more;
    }
  }
  return text;
}

/// In one line, or wrapped on a page that is too narrow for it.
void print_dim(const std::string& text, Page& page) {
  if (1 + columns(page.fit(text)) <= page.width()) return page.line({{" " + text, Style::dim}});
  page.prose({" ", Style::dim}, text, Style::dim);
}

void explain(const Seen& seen, std::uint64_t ok, Page& page) {
  std::string text;
  if (seen.half_widths || seen.ranges)
    text += fmt::format("{} 95 % interval   ", !seen.ranges       ? "±"
                                               : seen.half_widths ? "± or low…high"
                                                                  : "low…high");
  if (seen.lower_bounds && seen.upper_bounds) {
    text += "≥ or ≤ one bound, too few samples for the other";
  } else if (seen.lower_bounds) {
    text += "≥ lower bound, too few samples for an upper one";
  } else if (seen.upper_bounds) {
    text += "≤ upper bound, too few samples for a lower one";
  }
  if (text.empty()) text = counted(ok, "request is", "requests are") + " too few for 95 % intervals";
  print_dim(text, page);
}

/// Why speeds are missing, or which answers they leave out.
void explain_speeds(const PointResult& point, Page& page) {
  const auto& checks = point.validity.checks;
  const auto check = std::ranges::find(checks, CheckKind::speed, &Check::kind);
  if (check != checks.end() && check->state == CheckState::warning)
    page.prose({" ", Style::dim}, check->evidence, Style::dim);
}

}  // namespace

bool counts_events(const PointResult& point) { return point.token_source == TokenSource::events; }

std::string figure_label(const Figure& figure, bool events) {
  return std::string(events && !figure.event_label.empty() ? figure.event_label : figure.label);
}

void print_metrics(const PointResult& point, bool wide, Page& page) {
  const std::vector<const Figure*> rows = rows_of(point, wide);
  if (rows.empty()) return;
  std::vector<GridColumn> shown;
  Table table{.columns = {{.head = "", .sub = "", .kind = CellKind::words, .least = kNameColumns}},
              .even = true};
  for (const auto& column : kGridColumns) {
    if (column.wide_only && !wide) continue;
    shown.push_back(column);
    table.columns.push_back({std::string(column.head), "", CellKind::written, column.rank});
  }
  Seen seen;
  for (const auto* figure : rows) add_row(*figure, point, shown, table, seen);
  print_table(table, page);
  explain(seen, point.ok, page);
  const auto main =
      std::ranges::find_if(rows, [&](const auto* figure) { return matters(*figure, point.load.open_loop); });
  const auto needed = main == rows.end() ? std::string() : needed_words(**main, point);
  if (!needed.empty()) print_dim(needed, page);
  explain_speeds(point, page);
  page.blank();
}

}  // namespace infermeter
