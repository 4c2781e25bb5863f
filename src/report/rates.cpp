#include <fmt/format.h>

#include "figures.hpp"
#include "grid.hpp"
#include "infermeter/base/units.hpp"
#include "metric_grid.hpp"
#include "summary_lines.hpp"

namespace infermeter {
namespace {

std::string seconds(double s) { return figure(s) + " s"; }

void add_rates(const std::string& label, const Rates& rates, bool events, bool headline, Grid& grid) {
  const Style style = headline ? Style::bold : Style::plain;
  std::vector<Span> cells{{figure(rates.output), style}, {figure(rates.input)}};
  if (!events) cells.push_back({figure(rates.total)});
  cells.push_back({figure(rates.request), style});
  cells.push_back({figure(rates.concurrency)});
  grid.row({label}, std::move(cells));
  if (rates.output_half_width)
    grid.row({}, {{half_width(rates.output, *rates.output_half_width), Style::dim}});
}

// docs/metrics.md, "window": why there may be none.
std::string why_not_steady(const PointResult& point) {
  const std::uint64_t least = 3ULL * point.load.concurrency;
  if (point.load.open_loop || point.requests >= least)
    return "no steady window: the run is too short for one";
  return fmt::format("no steady window: it takes {} for {} at a time", counted(least, "request", "requests"),
                     format_count(point.load.concurrency));
}

}  // namespace

void print_rates(const PointResult& point, Page& page) {
  const bool events = counts_events(point);
  std::vector<std::string> heads{events ? "events/s out" : "tok/s out", "tok/s in"};
  if (!events) heads.push_back("tok/s total");
  heads.insert(heads.end(), {"req/s", "in flight"});
  Grid grid(" Throughput", heads);
  if (point.steady)
    add_rates("  steady    " + seconds(point.steady->window_s), *point.steady, events, true, grid);
  add_rates("  whole run " + seconds(point.whole.window_s), point.whole, events, !point.steady, grid);
  grid.print(page);
  if (!point.steady) page.prose({"  ", Style::dim}, why_not_steady(point), Style::dim);
  page.blank();
}

}  // namespace infermeter
