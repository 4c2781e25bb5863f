#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "infermeter/base/units.hpp"
#include "report/tables/columns.hpp"
#include "report/tables/sweep.hpp"
#include "report/words/load_words.hpp"

namespace infermeter {
namespace {

/// As counted by the server, else as requested.
std::optional<double> prompt_length(const PointResult& point) {
  if (const auto counted = ratio(point.prompt_tokens, point.ok); counted && *counted > 0) return counted;
  if (point.load.input_tokens > 0) return static_cast<double>(point.load.input_tokens);
  return {};
}

std::optional<double> fitted(const ContextFit& fit, const PointResult& point) {
  const auto n = prompt_length(point);
  return n ? std::optional<double>(fit.a + fit.b * *n + fit.c * *n * *n) : std::nullopt;
}

std::optional<double> per_1k(const PointResult& point) {
  const auto n = prompt_length(point);
  const auto ttft = quantile(point, "ttft", 50);
  return n && ttft ? std::optional<double>(1000 * *ttft / *n) : std::nullopt;
}

std::vector<PointColumn> context_columns(const ContextFit& fit) {
  return {
      {{"Prompt", "tokens", CellKind::written},
       [](const PointResult& p) {
         const double n = prompt_length(p).value_or(0);
         return Cell{format_count(static_cast<std::uint64_t>(std::llround(n)))};
       }},
      figure_column(*find_figure("ttft"), "p50", 1),
      number_column(
          "fitted", "", 2, [&fit](const PointResult& p) { return fitted(fit, p); }, CellKind::milliseconds),
      number_column("per 1k", "tokens", 3, per_1k, CellKind::milliseconds)};
}

Points points_of(const RunResult& result, const ContextFit& fit) {
  Points points;
  for (const auto& point : result.points) {
    if (point.target == fit.target && prompt_length(point) && point.find("ttft")) points.push_back(&point);
  }
  std::ranges::sort(points, {}, [](const auto* p) { return std::pair(prompt_length(*p), p->point); });
  return points;
}

/// Nothing where all lengths belong to one load point.
void print_lengths(const ContextFit& fit, const Points& points, Page& page) {
  if (points.size() < 2) return;
  const std::vector<PointColumn> columns = context_columns(fit);
  Table table = table_of(columns);
  for (const auto* point : points) table.row(cells_of(columns, *point));
  print_table(table, page, true);
}

std::string term(double factor, const char* of) {
  return fmt::format("{} {:.3g}{}", factor < 0 ? "−" : "+", std::abs(factor), of);
}

std::string formula(const ContextFit& fit) {
  return fmt::format("fitted: TTFT = {:.3g} {} {} ms, n in tokens; off by at most {:.1f} % at the medians",
                     fit.a, term(fit.b, "·n"), term(fit.c, "·n²"), 100 * fit.max_error);
}

void print_fit(const RunResult& result, const ContextFit& fit, Page& page) {
  if (result.targets.size() > 1) page.line({{" " + target_name(result, fit.target), Style::bold}});
  print_lengths(fit, points_of(result, fit), page);
  const bool said = std::ranges::find(result.headline, fit.text) != result.headline.end();
  if (!said) page.prose({" "}, fit.text, fit.superlinear ? Style::bold : Style::plain);
  page.prose({" "}, formula(fit), Style::dim);
}

}  // namespace

void print_context_fits(const RunResult& result, Page& page) {
  for (const auto& fit : result.context_fits) {
    page.blank();
    print_fit(result, fit, page);
  }
}

}  // namespace infermeter
