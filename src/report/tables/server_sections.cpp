// What the server says of itself: in its answers, and on its metrics page.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "infermeter/base/units.hpp"
#include "infermeter/model/figures.hpp"
#include "model/server_quantities.hpp"
#include "report/tables/columns.hpp"
#include "report/tables/figures.hpp"
#include "report/tables/metric_grid.hpp"
#include "report/tables/sections.hpp"
#include "report/tables/table.hpp"
#include "report/text/text.hpp"

namespace infermeter {
namespace {

/// "40", "0.25", "10,000".
std::string edge(double ms) {
  return ms == std::floor(ms) ? format_count(static_cast<std::uint64_t>(ms)) : fmt::format("{:.4g}", ms);
}

/// A percentile that is known by its bucket alone: "40–60".
std::string between(const Percentile* percentile) {
  if (percentile == nullptr) return "–";
  if (!percentile->high) return "> " + edge(*percentile->low);
  return *percentile->low <= 0 ? "< " + edge(*percentile->high)
                               : fmt::format("{}–{}", edge(*percentile->low), edge(*percentile->high));
}

/// Ours of the same meaning, as a mean.
const Metric* our_figure(const PointResult& point, std::string_view quantity) {
  const auto* row = find_server_quantity(quantity);
  return row == nullptr || row->ours.empty() ? nullptr : point.find(row->ours);
}

void add_time(const PointResult& point, const Metric& metric, Table& table) {
  const auto* row = find_server_quantity(metric.name);
  std::vector<Cell> cells{{" " + std::string(row ? row->label : metric.name)},
                          {figure(metric.mean)},
                          {between(metric.find(50)), {}, Style::dim},
                          {between(metric.find(95)), {}, Style::dim}};
  if (const Metric* ours = our_figure(point, metric.name)) {
    cells.push_back({figure(ours->mean)});
    cells.push_back({fmt::format("{}{}", ours->mean < metric.mean ? "−" : "+",
                                 figure(std::abs(ours->mean - metric.mean)))});
  }
  table.row(std::move(cells)).unit = metric.unit;
}

std::string level_text(std::string_view label, const GaugeSummary& gauge) {
  if (find_server_quantity(gauge.name)->kind == QuantityKind::share)
    return fmt::format("{} {} (at most {})", label, as_percent(gauge.mean), as_percent(gauge.max));
  return fmt::format("{} {:.1f} (at most {:.0f})", label, gauge.mean, gauge.max);
}

/// Besides these, all are shown with --wide and in the page.
bool is_main(std::string_view quantity) {
  constexpr std::array<std::string_view, 4> kMain{"ttft", "queue", "prefill", "itl"};
  return std::ranges::find(kMain, quantity) != kMain.end();
}

struct Labelled {
  std::string_view name, label;
};
constexpr Labelled kLevels[] = {{"running", "running"}, {"waiting", "waiting"}, {"kv_cache", "KV cache"}};
constexpr Labelled kFigures[] = {{"prometheus_prefix_hits", "prefix hits"},
                                 {"prometheus_acceptance", "draft tokens accepted"},
                                 {"prometheus_preemptions", "preemptions"}};

/// The main ones; the others stand in result.json.
void print_levels(const PointResult& point, const ServerWindow& server, Page& page) {
  std::vector<Span> items;
  for (const auto& [name, label] : kLevels) {
    const auto it = std::ranges::find(server.gauges, name, &GaugeSummary::name);
    if (it != server.gauges.end()) items.push_back({level_text(label, *it), Style::plain});
  }
  for (const auto& [name, label] : kFigures) {
    const Figure& figure_row = *find_figure(name);
    const auto value = figure_row.of_point({point, point.rates()});
    if (!value) continue;
    const bool is_count = figure_row.unit == FigureUnit::count;
    const std::string shown =
        is_count ? format_count(static_cast<std::uint64_t>(*value)) : in_unit(*value, figure_row.unit);
    items.push_back(
        {fmt::format("{} {}", label, shown), is_count && *value > 0 ? Style::warn : Style::plain});
  }
  items.push_back({fmt::format("{}, {} scrapes", server.from, server.scrapes), Style::dim});
  page.items(" Server", items);
}

struct Part {
  std::string_view label;
  double TtftParts::* ms;
  char mark;
};
constexpr Part kParts[] = {
    {"client queue", &TtftParts::client_queue, 'c'}, {"connect", &TtftParts::connect, 't'},
    {"network", &TtftParts::network, 'n'},           {"queue", &TtftParts::queue, 'q'},
    {"prefill", &TtftParts::prefill, 'p'},           {"rest", &TtftParts::rest, 'r'}};

/// A letter for each fortieth; a part that is negative or smaller has none.
std::string bar_of(const TtftParts& parts) {
  constexpr double kLength = 40;
  double whole = 0;
  for (const auto& part : kParts) whole += std::max(0.0, parts.*part.ms);
  std::string bar;
  for (const auto& part : kParts) {
    const double share = whole > 0 ? std::max(0.0, parts.*part.ms) / whole : 0;
    bar.append(static_cast<std::size_t>(std::lround(kLength * share)), part.mark);
  }
  return bar;
}

std::string signed_figure(double value) { return value < 0 ? "−" + figure(-value) : figure(value); }

std::string text_of(const std::optional<double>& value) { return value ? figure(*value) : "–"; }

/// More requests than ours ended there: others were served too.
void print_others(const ServerWindow& server, Page& page) {
  const auto all = server.count("requests");
  const double own = static_cast<double>(server.own_requests);
  constexpr double kEdges = 0.05, kFew = 3;  // requests that end while a scrape is under way
  if (!all || *all <= own * (1 + kEdges) || *all < own + kFew) return;
  page.prose(
      {" "},
      fmt::format("of {:.0f} requests that ended at the server, {:.0f} are ours: others were served too ({})",
                  *all, own, as_percent((*all - own) / *all)),
      Style::warn);
}

}  // namespace

void print_server_times(const PointResult& point, Page& page) {
  if (point.server_metrics.empty()) return;
  Table table{.columns = {{.head = "", .sub = "", .kind = CellKind::words, .least = 21},
                          {"p50", "", CellKind::written},
                          {"p95", "", CellKind::written},
                          {"ours p50", "", CellKind::written},
                          {"p95", "", CellKind::written}},
              .even = true};
  table.section({"Server's own times"});
  for (const auto& metric : point.server_metrics) {
    const Percentile* p50 = metric.find(50);
    const Percentile* p95 = metric.find(95);
    std::vector<Cell> cells{
        {" " + metric.name}, {p50 ? figure(p50->value) : "–"}, {p95 ? figure(p95->value) : "–"}};
    if (point.find(metric.name)) {
      cells.push_back({text_of(quantile(point, metric.name, 50)), {}, Style::dim});
      cells.push_back({text_of(quantile(point, metric.name, 95)), {}, Style::dim});
    }
    table.row(std::move(cells)).unit = metric.unit;
  }
  print_table(table, page);
  if (!point.server_times_from.empty())
    page.prose({" "}, "said by the server: " + point.server_times_from, Style::dim);
  page.blank();
}

void print_ttft_parts(const PointResult& point, Page& page) {
  if (!point.ttft_parts) return;
  const TtftParts& parts = *point.ttft_parts;
  std::vector<Span> items{{figure(parts.total()) + " in all:", Style::plain}};
  for (const auto& part : kParts)
    items.push_back({fmt::format("{} {}", part.label, signed_figure(parts.*part.ms)), Style::plain});
  page.items(" TTFT, ms", items);
  const std::string_view source = parts.tier == "server" ? "by the server's answers" : "by its metrics page";
  page.line(
      {{std::string(Page::kLabelColumns, ' ')}, {fmt::format("{}  {}", source, bar_of(parts)), Style::dim}});
  page.blank();
}

void print_server_window(const PointResult& point, bool all, Page& page) {
  if (!point.scraped) return;
  const ServerWindow& server = *point.scraped;
  if (!server.missing.empty()) {
    page.prose({" "}, "the server's metrics are left out: " + server.missing, Style::warn);
    return page.blank();
  }
  Table table{.columns = {{.head = "", .sub = "", .kind = CellKind::words, .least = 21},
                          {"mean", "", CellKind::written},
                          {"p50 in", "", CellKind::written},
                          {"p95 in", "", CellKind::written},
                          {"ours mean", "", CellKind::written},
                          {"apart", "", CellKind::written}},
              .even = true};
  table.section({"Server's metrics"});
  for (const auto& metric : server.times) {
    if (all || is_main(metric.name)) add_time(point, metric, table);
  }
  if (!server.times.empty()) print_table(table, page);
  print_levels(point, server, page);
  print_others(server, page);
  if (server.failed > 0)
    page.prose({" "},
               fmt::format("{} of {} scrapes failed: {}", server.failed, server.failed + server.scrapes,
                           server.problem),
               Style::warn);
  if (!point.ttft_parts) page.blank();
}

}  // namespace infermeter
