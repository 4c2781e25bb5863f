#include "report/tables/columns.hpp"
#include <cmath>

#include <fmt/format.h>

#include <algorithm>

#include "infermeter/base/units.hpp"

namespace infermeter {
namespace {

CellKind kind_of(FigureUnit unit) {
  if (unit == FigureUnit::milliseconds) return CellKind::milliseconds;
  if (unit == FigureUnit::share) return CellKind::percent;
  return unit == FigureUnit::money ? CellKind::money : CellKind::number;
}

bool is_rate(FigureUnit unit) {
  return unit == FigureUnit::tokens_per_second || unit == FigureUnit::requests_per_second ||
         unit == FigureUnit::vectors_per_second;
}

constexpr double kMostLopsided = 2;

/// Of a ratio: no digits finer than half of its interval.
int decimals_for(double half) {
  if (half >= 0.95) return 0;
  return half >= 0.0095 ? 2 : 3;
}

/// ± would wrongly claim that both sides are equally long, or that the interval contains no change.
bool is_lopsided(const Difference& d) {
  const double below = *d.change - *d.low, above = *d.high - *d.change;
  return std::max(below, above) > kMostLopsided * std::min(below, above) ||
         (below + above) / 2 >= std::abs(*d.change);
}

/// "0.98× (0.951 … 0.992)": the bound nearer to 1 must not look like 1.
std::string lopsided_words(const Difference& d, int decimals) {
  const int finer = std::max(decimals, decimals_for(std::min(std::abs(*d.low), std::abs(*d.high))));
  return fmt::format("{:.{}f}× ({:.{}f} … {:.{}f})", 1 + *d.change, decimals, 1 + *d.low, finer, 1 + *d.high,
                     finer);
}

/// "+5 pts", "−0.3 pts".
std::string points_words(double change) {
  const double points = 100 * std::abs(change);
  return fmt::format("{}{:.{}f} pts", change < 0 ? "−" : "+", points,
                     points < 9.95 && points != std::round(points) ? 1 : 0);
}

/// "0.88× ±0.04", "no difference", "too few blocks": a ratio for every figure, whatever its size.
std::string difference_words(const Difference& d) {
  if (d.absolute) return d.change ? points_words(*d.change) : std::string();
  if (!d.change || !d.low || !d.high) return "too few blocks";
  if (d.within_noise) return "no difference";
  const double half = (*d.high - *d.low) / 2;
  const int decimals = decimals_for(half);
  if (is_lopsided(d)) return lopsided_words(d, decimals);
  const std::string shown = fmt::format("{:.{}f}", half, decimals);
  const bool none = shown.find_first_not_of("0.") == std::string::npos;
  return fmt::format("{:.{}f}× ±{}", 1 + *d.change, decimals, none ? "<0.001" : shown);
}

}  // namespace

Estimate shown_estimate(const PointResult& point, const Figure& figure, std::string_view statistic) {
  Estimate estimate = estimate_of(point, figure, statistic);
  if (!estimate.value || figure.is_distribution()) return estimate;
  const bool none = figure.unit == FigureUnit::tokens_per_second && *estimate.value <= 0;
  if (none || (is_rate(figure.unit) && !point.has_figures())) return {};
  return estimate;
}

PointColumn figure_column(const Figure& figure, std::string_view statistic, int rank, std::string head,
                          bool sure) {
  Table::Column column;
  column.head =
      !head.empty() ? std::move(head) : std::string(figure.head.empty() ? figure.brief() : figure.head);
  column.sub = figure.is_distribution() ? statistic : figure.under;
  column.kind = kind_of(figure.unit);
  column.rank = rank;
  return {column, [&figure, statistic, sure](const PointResult& point) {
            const Estimate estimate = shown_estimate(point, figure, statistic);
            Cell cell{{}, estimate.value};
            if (sure) cell.low = estimate.low;
            if (sure) cell.high = estimate.high;
            return cell;
          }};
}

std::vector<PlacedFigure> placed_figures(FigureOutput output, const Points& points) {
  std::vector<PlacedFigure> placed;
  for (const auto& shown : shown_figures(output)) {
    const Figure& figure = headline_figure(*shown.figure, points.front()->load.open_loop);
    const auto tells = [&](const PointResult* point) {
      return tells_more(figure, *point, true) &&
             (!figure.is_distribution() || find_distribution(*point, figure) != nullptr);
    };
    if (std::ranges::any_of(points, tells)) placed.push_back({&figure, shown.figure, shown.at});
  }
  return placed;
}

PointColumn number_column(std::string head, std::string sub, int rank,
                          std::function<std::optional<double>(const PointResult&)> value, CellKind kind) {
  return {{std::move(head), std::move(sub), kind, rank},
          [value = std::move(value)](const PointResult& p) { return Cell{{}, value(p)}; }};
}

PointColumn ok_column(int rank) {
  return {{"ok", "of all", CellKind::written, rank}, [](const PointResult& p) {
            if (p.requests == 0) return Cell{"–"};
            return Cell{fmt::format("{} / {}", format_count(p.ok), format_count(p.requests))};
          }};
}

PointColumn difference_column(const RunResult& result, std::string metric, std::string statistic, int rank) {
  return {{"vs " + target_name(result, result.against), "", CellKind::words, rank, true},
          [&result, metric = std::move(metric), statistic = std::move(statistic)](const PointResult& p) {
            const auto it = std::ranges::find_if(result.differences, [&](const Difference& d) {
              return d.point == p.point && d.target == p.target && d.metric == metric &&
                     d.statistic == statistic;
            });
            if (it == result.differences.end()) return Cell{};
            const bool dim = it->within_noise || (!it->low && !it->absolute);
            return Cell{difference_words(*it), {}, dim ? Style::dim : Style::plain};
          }};
}

Table table_of(const std::vector<PointColumn>& columns) {
  Table table;
  for (const auto& column : columns) table.columns.push_back(column.column);
  return table;
}

std::vector<Cell> cells_of(const std::vector<PointColumn>& columns, const PointResult& point) {
  std::vector<Cell> cells;
  for (const auto& column : columns) cells.push_back(column.cell(point));
  return cells;
}

PointResult as_point(const PointResult& whole, const Slice& slice) {
  PointResult point;
  point.load = whole.load;
  point.token_source = whole.token_source;
  point.retries = whole.retries;
  point.requests = slice.requests;
  point.ok = slice.ok;
  point.outcomes = slice.outcomes;
  point.metrics = slice.metrics;
  point.slo = slice.slo;
  point.prompt_tokens = slice.prompt_tokens;
  point.cached_tokens = slice.cached_tokens;
  point.output_tokens = slice.output_tokens;
  point.whole.window_s = whole.rates().window_s;
  point.whole.request = slice.request_throughput;
  point.whole.output = slice.output_throughput;
  // A point whose streams were closed early has figures without an ok answer.
  if (!slice.metrics.empty()) point.slices.push_back({.metrics = slice.metrics});
  return point;
}

std::optional<double> quantile(const PointResult& point, std::string_view metric, double percentile) {
  const Metric* found = point.find(metric);
  const Percentile* value = found && found->count > 0 ? found->find(percentile) : nullptr;
  return value ? std::optional<double>(value->value) : std::nullopt;
}

std::optional<double> ratio(std::uint64_t part, std::uint64_t whole) {
  if (whole == 0) return {};
  return static_cast<double>(part) / static_cast<double>(whole);
}

}  // namespace infermeter
