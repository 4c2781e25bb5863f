#include <fmt/format.h>

#include "infermeter/base/units.hpp"
#include "report/tables/figures.hpp"
#include "report/tables/metric_grid.hpp"
#include "report/tables/summary_lines.hpp"
#include "report/tables/table.hpp"

namespace infermeter {
namespace {

constexpr std::size_t kRateNameColumns = 20;

std::string seconds(double s) { return figure(s) + " s"; }

/// Events are never called tokens and not added to them; the same holds for vectors.
bool is_rate_of(const PointResult& point, const Figure& figure) {
  if (!figure.of_tokens) return true;
  return !point.item_throughput && (!counts_events(point) || figure.name == "output_throughput");
}

std::vector<const Figure*> rate_figures(const PointResult& point) {
  std::vector<const Figure*> figures;
  for (const auto& shown : shown_figures(FigureOutput::rates)) {
    if (is_rate_of(point, *shown.figure)) figures.push_back(shown.figure);
  }
  return figures;
}

std::string rate_head(const Figure& figure, bool events) {
  std::string head(events && figure.of_tokens ? symbol(figure.unit, true) : figure.head);
  return head.append(figure.under.empty() ? "" : " ").append(figure.under);
}

/// The two main rates: output, and requests.
bool comes_first(const Figure& figure) { return figure.is_shown(FigureOutput::markdown); }

void add_rates(const std::string& label, const PointView& view, bool headline, Table& table) {
  std::vector<Cell> cells{{label}};
  for (const auto* figure : rate_figures(view.point)) {
    Estimate estimate;
    estimate.value = figure->of_point(view);
    if (estimate.value && figure->bound) figure->bound(view, estimate);
    cells.push_back({.text = {},
                     .value = estimate.value,
                     .style = headline && comes_first(*figure) ? Style::bold : Style::plain,
                     .sure = {},
                     .low = estimate.low,
                     .high = estimate.high});
  }
  table.row(std::move(cells));
}

// docs/metrics.md, "window": why there may be no steady window.
std::string why_not_steady(const PointResult& point) {
  if (point.load.in_blocks) return "no steady window: the targets took turns";
  const std::uint32_t slots = own_part(point.load).concurrency;
  const std::uint64_t least = 3ULL * slots;
  if (point.load.open_loop || point.requests >= least)
    return "no steady window: the run is too short for one";
  return fmt::format("no steady window: it takes {} at concurrency {}", counted(least, "request", "requests"),
                     format_count(slots));
}

}  // namespace

void print_rates(const PointResult& point, Page& page) {
  Table table{.columns = {{.head = "", .sub = "", .kind = CellKind::words, .least = kRateNameColumns}},
              .even = true};
  for (const auto& shown : shown_figures(FigureOutput::rates)) {
    if (is_rate_of(point, *shown.figure))
      table.columns.push_back(
          {rate_head(*shown.figure, counts_events(point)), "", CellKind::number, shown.at.rank});
  }
  table.section({"Throughput"});
  if (point.steady)
    add_rates(" steady    " + seconds(point.steady->window_s), {point, *point.steady}, true, table);
  add_rates(" whole run " + seconds(point.whole.window_s), {point, point.whole}, !point.steady, table);
  print_table(table, page);
  if (point.output_per_gpu) page.line({{fmt::format("  {} tok/s out a GPU", figure(*point.output_per_gpu))}});
  if (!point.steady) page.prose({"  ", Style::dim}, why_not_steady(point), Style::dim);
  page.blank();
}

}  // namespace infermeter
