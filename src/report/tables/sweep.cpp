#include "report/tables/sweep.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "report/tables/columns.hpp"
#include "report/tables/figures.hpp"
#include "report/tables/repeats.hpp"
#include "report/tables/summary_lines.hpp"
#include "report/words/load_words.hpp"

namespace infermeter {
namespace {

using SweepColumn = ColumnOf<PointResult>;

template <typename Value>
bool varies(const Points& points, Value value) {
  return std::ranges::any_of(points, [&](const auto* p) { return value(*p) != value(*points.front()); });
}

std::string marked(bool mark, const std::string& value) { return (mark ? "knee  " : "") + value; }

std::string rate_text(const LoadPoint& load) { return fmt::format("{:.6g}", load.rate); }

/// The load's own column; where it does not vary, what does speaks for the row. The knee's word stands in it.
SweepColumn load_column(const RunResult& result, const Points& points) {
  const bool open = points.front()->load.open_loop;
  return {{open ? "Rate" : "Concurrency", open ? "req/s" : "", CellKind::count},
          [&result, open](const PointResult& p) {
            const std::string value = open ? rate_text(p.load) : format_count(p.load.concurrency);
            return Cell{marked(is_knee(result, p), value)};
          }};
}

std::vector<SweepColumn> key_columns(const RunResult& result, const Points& points) {
  std::vector<SweepColumn> columns;
  const bool shapes = varies(points, [](const PointResult& p) { return p.load.shape; });
  const bool loads =
      varies(points, [](const PointResult& p) { return std::pair(p.load.concurrency, p.load.rate); });
  const bool named = std::ranges::any_of(points, [&](const auto* p) { return is_knee(result, *p); });
  if (loads || named || !shapes) columns.push_back(load_column(result, points));
  if (shapes)
    columns.push_back(
        {{"Shape", "in/out", CellKind::words}, [](const PointResult& p) { return Cell{p.load.shape}; }});
  columns.push_back({{"Run", "", CellKind::count},
                     [&result](const PointResult& p) { return Cell{run_number(result, p)}; }});
  return columns;
}

std::optional<double> measured(const PointResult& point, double value) {
  return point.has_figures() && value > 0 ? std::optional<double>(value) : std::nullopt;
}

void latency_columns(const Points& points, std::vector<SweepColumn>& columns) {
  const bool open = points.front()->load.open_loop;
  const bool per_token = std::ranges::any_of(points, [](const auto* p) { return p->find("itl") != nullptr; });
  const std::string ttft = open ? "ttft_response" : "ttft", e2e = open ? "e2e_response" : "e2e";
  columns.push_back(latency_column<PointResult>("TTFT", ttft, 50, 1));
  columns.push_back(latency_column<PointResult>("TTFT", ttft, 95, 5));
  columns.push_back(latency_column<PointResult>("TTFT", ttft, 99, 13));
  columns.push_back(gap_column<PointResult>(per_token, 50, 4));
  columns.push_back(gap_column<PointResult>(per_token, 95, 12));
  columns.push_back(number_column<PointResult>("TPS", "stream", 8,
                                               [](const PointResult& p) { return quantile(p, "tps", 50); }));
  columns.push_back(latency_column<PointResult>("E2E", e2e, 50, 9));
  columns.push_back(latency_column<PointResult>("E2E", e2e, 95, 11));
}

void rate_columns(std::vector<SweepColumn>& columns) {
  const auto add = [&](const char* head, const char* sub, int rank, auto value) {
    columns.push_back(number_column<PointResult>(head, sub, rank, value));
  };
  add("tok/s", "out", 2, [](const PointResult& p) { return measured(p, p.rates().output); });
  add("vectors", "per s", 2, [](const PointResult& p) { return p.item_throughput; });
  add("req/s", "", 10, [](const PointResult& p) { return measured(p, p.rates().request); });
  add("in", "flight", 14, [](const PointResult& p) { return measured(p, p.rates().concurrency); });
  add("tok/s", "per GPU", 15, [](const PointResult& p) { return p.output_per_gpu; });
}

std::vector<SweepColumn> sweep_columns(const RunResult& result, const Points& points) {
  std::vector<SweepColumn> columns = key_columns(result, points);
  latency_columns(points, columns);
  rate_columns(columns);
  columns.push_back(goodput_column<PointResult>(7));
  columns.push_back(slo_column<PointResult>(6));
  columns.push_back(number_column<PointResult>(
      "cached", "prompt", 16,
      [](const PointResult& p) { return p.cache ? std::optional<double>(p.cache->hit_share) : std::nullopt; },
      CellKind::percent));
  columns.push_back(number_column<PointResult>(
      "$/1k", "answers", 17,
      [](const PointResult& p) { return p.cost ? std::optional<double>(p.cost->per_1k) : std::nullopt; },
      CellKind::money));
  columns.push_back(ok_column<PointResult>(3));
  return columns;
}

void add_row(const RunResult& result, const std::vector<SweepColumn>& columns, const PointResult& point,
             Listing& listing) {
  std::vector<Cell> cells = cells_of(columns, point);
  if (is_knee(result, point)) {
    for (auto& cell : cells) cell.style = Style::bold;
  }
  listing.row(std::move(cells), point_note(point));
}

}  // namespace

bool is_knee(const RunResult& result, const PointResult& point) {
  return std::ranges::any_of(result.knees, [&](const Knee& knee) {
    return knee.point == point.point && knee.target == point.target;
  });
}

std::string run_number(const RunResult& result, const PointResult& point) {
  return has_runs(result) ? fmt::format("{}", point.load.run) : std::string();
}

bool print_sweep(const RunResult& result, const std::vector<Points>& loads, bool wide, Page& page) {
  Points points;
  for (const auto& load : loads) points.insert(points.end(), load.begin(), load.end());
  const std::vector<SweepColumn> columns = sweep_columns(result, points);
  Listing listing = listing_of(columns);
  for (const auto& load : loads) {
    for (const auto* point : load) add_row(result, columns, *point, listing);
    const std::string spread = has_runs(result) ? spread_words(load) : std::string();
    if (!spread.empty()) listing.below(spread);
  }
  const bool complete = listing.print(page, wide);
  if (points.front()->load.open_loop)
    page.prose({" "}, "TTFT and E2E count from the time that the schedule intended.", Style::dim);
  return complete;
}

void print_sweep_sentences(const RunResult& result, Page& page) {
  for (const auto& knee : result.knees) {
    const std::string whose = result.targets.size() > 1 ? target_name(result, knee.target) + ": " : "";
    page.prose({" "}, whose + knee.text, Style::bold);
  }
  if (!result.sweep_ended.empty())
    page.prose({" ! ", Style::warn}, "The sweep ended early: " + result.sweep_ended);
}

}  // namespace infermeter
