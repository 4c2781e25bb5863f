#include <fmt/format.h>

#include "infermeter/base/units.hpp"
#include "report/tables/figures.hpp"
#include "report/tables/grid.hpp"
#include "report/tables/metric_grid.hpp"
#include "report/tables/summary_lines.hpp"

namespace infermeter {
namespace {

std::string seconds(double s) { return figure(s) + " s"; }

/// Which rates there are: events are never called tokens, and vectors are neither.
struct Columns {
  bool output = true, total = true;
};

void add_rates(const std::string& label, const Rates& rates, Columns shown, bool headline, Grid& grid) {
  const Style style = headline ? Style::bold : Style::plain;
  std::vector<Span> cells;
  if (shown.output) cells.push_back({figure(rates.output), style});
  cells.push_back({figure(rates.input)});
  if (shown.total) cells.push_back({figure(rates.total)});
  cells.push_back({figure(rates.request), style});
  cells.push_back({figure(rates.concurrency)});
  grid.row({label}, std::move(cells));
  if (shown.output && rates.output_half_width)
    grid.row({}, {{half_width(rates.output, *rates.output_half_width), Style::dim}});
}

// docs/metrics.md, "window": why there may be none.
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
  const bool events = counts_events(point);
  const Columns shown{!point.item_throughput, !events && !point.item_throughput};
  std::vector<std::string> heads;
  if (shown.output) heads.push_back(events ? "events/s out" : "tok/s out");
  heads.push_back("tok/s in");
  if (shown.total) heads.push_back("tok/s total");
  heads.insert(heads.end(), {"req/s", "in flight"});
  Grid grid(" Throughput", heads);
  if (point.steady)
    add_rates("  steady    " + seconds(point.steady->window_s), *point.steady, shown, true, grid);
  add_rates("  whole run " + seconds(point.whole.window_s), point.whole, shown, !point.steady, grid);
  grid.print(page);
  if (point.output_per_gpu) page.line({{fmt::format("  {} tok/s out a GPU", figure(*point.output_per_gpu))}});
  if (!point.steady) page.prose({"  ", Style::dim}, why_not_steady(point), Style::dim);
  page.blank();
}

}  // namespace infermeter
