#include "report/tables/sweep.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "infermeter/base/units.hpp"
#include "report/tables/columns.hpp"
#include "report/tables/figures.hpp"
#include "report/tables/sections.hpp"
#include "report/words/load_words.hpp"

namespace infermeter {
namespace {

std::optional<double> variation(const std::vector<double>& values) {
  if (values.size() < 2) return std::nullopt;
  const auto n = static_cast<double>(values.size());
  double sum = 0, squares = 0;
  for (const double v : values) sum += v;
  const double mean = sum / n;
  for (const double v : values) squares += (v - mean) * (v - mean);
  return mean > 0 ? std::optional(std::sqrt(squares / (n - 1)) / mean) : std::nullopt;
}

void append_spread(const std::string& name, const Figure& figure, std::string_view statistic,
                   const Points& runs, std::string& text) {
  std::vector<double> values;
  for (const auto* run : runs) {
    if (const auto value = shown_estimate(*run, figure, statistic).value) values.push_back(*value);
  }
  if (const auto share = variation(values))
    text += fmt::format("{} {} {}", text.empty() ? "" : ",", name,
                        *share < 0.0005 ? "±<0.1 %" : fmt::format("±{:.1f} %", 100 * *share));
}

template <typename Value>
bool varies(const Points& points, Value value) {
  return std::ranges::any_of(points, [&](const auto* p) { return value(*p) != value(*points.front()); });
}

std::string marked(bool mark, const std::string& value) { return (mark ? "knee  " : "") + value; }

std::string rate_text(const LoadPoint& load) { return fmt::format("{:.6g}", load.rate); }

/// The column of the load; where the load does not vary, whatever varies names the row. It also marks the
/// knee.
PointColumn load_column(const RunResult& result, const Points& points) {
  const bool open = points.front()->load.open_loop;
  return {{open ? "Offered" : "Concurrency", open ? "req/s" : "", CellKind::written},
          [&result, open](const PointResult& p) {
            const std::string value = open ? rate_text(p.load) : format_count(p.load.concurrency);
            return Cell{marked(is_knee(result, p), value)};
          }};
}

/// Beside the offered rate, on a page of any width.
PointColumn served_column() {
  return number_column(
      "Served", "req/s", 0,
      [](const PointResult& p) {
        const auto& figure = *find_figure("request_throughput");
        return p.served ? p.served : shown_estimate(p, figure, "").value;
      },
      CellKind::number);
}

std::vector<PointColumn> key_columns(const RunResult& result, const Points& points) {
  std::vector<PointColumn> columns;
  const bool shapes = varies(points, [](const PointResult& p) { return p.load.shape; });
  const bool loads =
      varies(points, [](const PointResult& p) { return std::pair(p.load.concurrency, p.load.rate); });
  const bool named = std::ranges::any_of(points, [&](const auto* p) { return is_knee(result, *p); });
  if (loads || named || !shapes) columns.push_back(load_column(result, points));
  if (shapes)
    columns.push_back(
        {{"Shape", "in/out", CellKind::words}, [](const PointResult& p) { return Cell{p.load.shape}; }});
  if (points.front()->load.open_loop) columns.push_back(served_column());
  columns.push_back({{"Run", "", CellKind::written},
                     [&result](const PointResult& p) { return Cell{run_number(result, p)}; }});
  return columns;
}

/// In open loop latencies include the schedule delay; a note below the table says so.
std::vector<PointColumn> sweep_columns(const RunResult& result, const Points& points) {
  std::vector<PointColumn> columns = key_columns(result, points);
  for (const auto& [figure, base, at] : placed_figures(FigureOutput::sweep, points)) {
    if (figure->name == "request_throughput" && points.front()->load.open_loop) continue;  // a key
    columns.push_back(figure_column(*figure, at.statistic, at.rank,
                                    figure == base ? std::string() : std::string(base->brief())));
  }
  columns.push_back(ok_column(3));
  return columns;
}

void add_row(const RunResult& result, const std::vector<PointColumn>& columns, const PointResult& point,
             Table& table) {
  std::vector<Cell> cells = cells_of(columns, point);
  if (is_knee(result, point)) {
    for (auto& cell : cells) cell.style = Style::bold;
  }
  table.row(std::move(cells), point_note(point));
}

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

std::vector<Points> by_load(const RunResult& result) {
  std::vector<Points> groups;
  const bool repeated = has_runs(result);  // else each load point stands alone
  for (const auto& point : result.points) {
    const auto it = std::ranges::find_if(groups, [&](const Points& group) {
      const PointResult& other = *group.front();
      return other.point == point.point || (repeated && load_id(other.load) == load_id(point.load));
    });
    if (it == groups.end()) {
      groups.push_back({&point});
    } else {
      it->push_back(&point);
    }
  }
  for (auto& group : groups) {
    std::ranges::stable_sort(group, {}, [](const auto* p) { return std::pair(p->load.run, p->target); });
    if (result.ranking.empty()) continue;
    std::ranges::stable_sort(group, {}, [&](const auto* p) {
      const auto rank = find_rank(result, *p);
      return rank ? rank->first : result.targets.size();
    });
  }
  return groups;
}

std::optional<std::pair<std::size_t, const RankedTarget*>> find_rank(const RunResult& result,
                                                                     const PointResult& point) {
  const LoadId load = load_id(point.load);
  std::size_t rank = 0;
  for (const auto& ranked : result.ranking) {
    const auto it = std::ranges::find(result.points, ranked.point, &PointResult::point);
    if (it == result.points.end() || load_id(it->load) != load) continue;
    if (ranked.target == point.target) return std::pair(rank, &ranked);
    ++rank;
  }
  return std::nullopt;
}

std::string spread_words(const Points& runs) {
  std::string text;
  for (const auto& [figure, base, at] : placed_figures(FigureOutput::markdown, runs)) {
    if (!at.change) continue;
    const std::string name = figure->is_distribution() ? fmt::format("{} {}", base->brief(), at.statistic)
                                                       : std::string(symbol(figure->unit));
    append_spread(name, *figure, at.statistic, runs, text);
  }
  return text.empty() ? text : "between runs:" + text;
}

bool is_knee(const RunResult& result, const PointResult& point) {
  return std::ranges::any_of(result.knees, [&](const Knee& knee) {
    return knee.found && knee.point == point.point && knee.target == point.target;
  });
}

std::string run_number(const RunResult& result, const PointResult& point) {
  return has_runs(result) ? fmt::format("{}", point.load.run) : std::string();
}

bool print_sweep(const RunResult& result, const std::vector<Points>& loads, bool wide, Page& page) {
  Points points;
  for (const auto& load : loads) points.insert(points.end(), load.begin(), load.end());
  const std::vector<PointColumn> columns = sweep_columns(result, points);
  Table table = table_of(columns);
  for (const auto& load : loads) {
    for (const auto* point : load) add_row(result, columns, *point, table);
    const std::string spread = has_runs(result) ? spread_words(load) : std::string();
    if (!spread.empty()) table.sections.back().rows.back().below.push_back(spread);
  }
  const bool complete = print_table(table, page, wide);
  if (points.front()->load.open_loop)
    page.prose({" "}, "TTFT and E2E include the schedule delay.", Style::dim);
  return complete;
}

void print_sweep_sentences(const RunResult& result, Page& page) {
  for (const auto& knee : result.knees) {
    const std::string whose = result.targets.size() > 1 ? target_name(result, knee.target) + ": " : "";
    page.prose({" "}, whose + knee.text, knee.found ? Style::bold : Style::plain);
  }
  if (!result.sweep_ended.empty())
    page.prose({" ! ", Style::warn}, "The sweep ended early: " + result.sweep_ended);
}

void print_context_fits(const RunResult& result, Page& page) {
  for (const auto& fit : result.context_fits) {
    page.blank();
    print_fit(result, fit, page);
  }
}

}  // namespace infermeter
