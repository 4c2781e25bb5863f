#include "report/tables/metric_grid.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "infermeter/base/units.hpp"
#include "report/tables/figures.hpp"
#include "report/tables/grid.hpp"
#include "report/text/text.hpp"

namespace infermeter {
namespace {

constexpr std::size_t kNameColumns = 19;

struct MetricRow {
  std::string label;
  const Metric* metric;
  bool matters = false;  // its median is what people look for first
};

/// A row's unit: seconds where milliseconds would need too many digits.
struct RowUnit {
  std::string name;
  double scale;
};

RowUnit unit_of(const Metric& metric) {
  if (metric.unit != "ms") return {"", 1};
  const Percentile* median = metric.find(50);
  const double typical = median ? median->value : metric.mean;
  const bool seconds = typical >= 1000 || (metric.max >= 10'000 && typical >= 100);
  return seconds ? RowUnit{"s", 1e-3} : RowUnit{"ms", 1};
}

bool differs(const Metric* a, const Metric* b) {
  return a && b && (a->count != b->count || std::abs(a->mean - b->mean) > 1e-3);
}

void add_if_present(std::vector<MetricRow>& rows, std::string label, const Metric* metric,
                    bool matters = false) {
  if (metric && metric->count > 0) rows.push_back({std::move(label), metric, matters});
}

// In open loop the user waits from the intended time on, so these rows are the headline there; they also tell
// of the tries before the last one.
std::vector<MetricRow> rows_of(const Latencies& latencies, bool wide) {
  std::vector<MetricRow> rows;
  const auto add = [&](const char* label, const char* name, bool matters = false) {
    add_if_present(rows, label, latencies.find(name), matters);
  };
  const bool open = latencies.open_loop;
  const bool events = latencies.events;
  add("Client queue", "client_queue");
  if (open || latencies.retried) add("TTFT from intended", "ttft_response", open);
  add("TTFT", "ttft", !open);
  if (differs(latencies.find("ttfo"), latencies.find("ttft"))) add("TTFO", "ttfo");
  const Metric* itl = latencies.find("itl");
  const bool per_token = itl && itl->count > 0 && !events;
  add(per_token ? "ITL" : "ICL", per_token ? "itl" : "icl", true);
  add(events ? "Time per event" : "TPOT", "tpot");
  add(events ? "Events/s (low side)" : "TPS (low side)", "tps");
  if (wide) add("Chars/s (low side)", "chars_per_second");
  if (open || latencies.retried) add("E2E from intended", "e2e_response", open);
  add("E2E", "e2e", !open);
  return rows;
}

constexpr double kMean = -1, kMin = -2, kMax = -3;

struct GridColumn {
  std::string_view head;
  double high, low;  // percentile of a latency; of a rate, whose tail is on the other side
  bool wide_only = false;
  bool with_interval = false;
};

constexpr std::array<GridColumn, 8> kGridColumns{{{"min", kMin, kMax, true},
                                                  {"mean", kMean, kMean},
                                                  {"p50", 50, 50, false, true},
                                                  {"p90", 90, 10},
                                                  {"p95", 95, 5, false, true},
                                                  {"p99", 99, 1, false, true},
                                                  {"p99.9", 99.9, 0.1, true},
                                                  {"max", kMax, kMin}}};

std::string value_text(const Metric& metric, double which, double scale) {
  if (which == kMean) return figure(metric.mean * scale);
  if (which == kMin) return figure(metric.min * scale);
  if (which == kMax) return figure(metric.max * scale);
  const Percentile* found = metric.find(which);
  return found ? figure(found->value * scale) : "–";
}

std::string interval_text(const Metric& metric, double which, double scale) {
  const Percentile* found = metric.find(which);
  return found ? sureness(*found, scale) : std::string();
}

/// What the grid's intervals were, for the line that explains them.
struct Seen {
  bool half_widths = false, lower_bounds = false, upper_bounds = false;
};

void note(const std::string& interval, Seen& seen) {
  seen.half_widths |= interval.starts_with("±");
  seen.lower_bounds |= interval.starts_with("≥");
  seen.upper_bounds |= interval.starts_with("≤");
}

void add_row(const MetricRow& row, const std::vector<GridColumn>& shown, Grid& grid, Seen& seen) {
  const RowUnit unit = unit_of(*row.metric);
  std::vector<Span> values, intervals;
  bool any = false;
  for (const auto& column : shown) {
    const double which = row.metric->low_tail ? column.low : column.high;
    const Style style = row.matters && which == 50 ? Style::bold : Style::plain;
    values.push_back({value_text(*row.metric, which, unit.scale), style});
    Span interval{{}, Style::dim};
    if (column.with_interval) interval.text = interval_text(*row.metric, which, unit.scale);
    any = any || !interval.text.empty();
    note(interval.text, seen);
    intervals.push_back(std::move(interval));
  }
  const std::string label = pad_right(" " + row.label, kNameColumns) + pad_left(unit.name, 3);
  grid.row({label, row.matters ? Style::bold : Style::plain}, std::move(values));
  if (any) grid.row({}, std::move(intervals));
}

void explain(const Seen& seen, std::uint64_t ok, Page& page) {
  std::string text;
  if (seen.half_widths) text += "± 95 % interval   ";
  if (seen.lower_bounds && seen.upper_bounds) {
    text += "≥ or ≤ one bound, too few samples for the other";
  } else if (seen.lower_bounds) {
    text += "≥ lower bound, too few samples for an upper one";
  } else if (seen.upper_bounds) {
    text += "≤ upper bound, too few samples for a lower one";
  }
  if (text.empty()) text = counted(ok, "request is", "requests are") + " too few for 95 % intervals";
  page.line({{" " + text, Style::dim}});
}

}  // namespace

const Metric* Latencies::find(std::string_view metric) const {
  const auto it = std::ranges::find(metrics, metric, &Metric::name);
  return it == metrics.end() ? nullptr : &*it;
}

bool counts_events(const PointResult& point) { return point.token_source == TokenSource::events; }

void print_metrics(const Latencies& latencies, bool wide, Page& page) {
  const std::vector<MetricRow> rows = rows_of(latencies, wide);
  if (rows.empty()) return;
  std::vector<GridColumn> shown;
  std::vector<std::string> heads;
  for (const auto& column : kGridColumns) {
    if (column.wide_only && !wide) continue;
    shown.push_back(column);
    heads.emplace_back(column.head);
  }
  Grid grid("", heads);
  Seen seen;
  for (const auto& row : rows) add_row(row, shown, grid, seen);
  grid.print(page);
  explain(seen, latencies.ok, page);
  page.blank();
}

}  // namespace infermeter
