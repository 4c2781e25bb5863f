#include "report/formats/markdown_table.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <iterator>
#include <vector>

#include "report/tables/columns.hpp"
#include "report/tables/figures.hpp"
#include "report/tables/repeats.hpp"
#include "report/tables/summary_lines.hpp"
#include "report/text/markdown_text.hpp"
#include "report/words/difference_words.hpp"
#include "report/words/load_words.hpp"

namespace infermeter {
namespace {

struct MarkdownColumn {
  std::string head;
  std::function<std::string(const PointResult&)> cell;
  bool left = false;
};

/// "91.8 ±1.2": with half its interval, or the bound that there is.
std::string with_sureness(const PointResult& point, const std::string& metric, double percentile) {
  const Metric* found = point.find(metric);
  const Percentile* value = found && found->count > 0 ? found->find(percentile) : nullptr;
  if (!value) return {};
  const std::string sure = sureness(*value, 1);
  return figure(value->value) + (sure.empty() ? "" : " " + sure);
}

MarkdownColumn metric_column(std::string head, std::string metric, double percentile) {
  return {std::move(head), [metric = std::move(metric), percentile](const PointResult& p) {
            return with_sureness(p, metric, percentile);
          }};
}

MarkdownColumn number_cell(std::string head, std::function<std::optional<double>(const PointResult&)> value) {
  return {std::move(head), [value = std::move(value)](const PointResult& p) {
            const auto number = value(p);
            return number ? figure(*number) : std::string();
          }};
}

/// Behind the figure that it compares.
MarkdownColumn difference_cell(const RunResult& result, std::string metric, std::string statistic) {
  return {"vs first",
          [&result, metric = std::move(metric), statistic = std::move(statistic)](const PointResult& p) {
            const auto it = std::ranges::find_if(result.differences, [&](const Difference& d) {
              return d.point == p.point && d.target == p.target && d.metric == metric &&
                     d.statistic == statistic;
            });
            return it == result.differences.end() ? std::string() : difference_words(*it);
          }};
}

void add_keys(const RunResult& result, std::vector<MarkdownColumn>& columns) {
  if (result.targets.size() > 1)
    columns.push_back(
        {"target",
         [&result](const PointResult& p) { return markdown_cell_code(target_name(result, p.target)); },
         true});
  columns.push_back(
      {"load", [&result](const PointResult& p) { return markdown_text(short_name(load_id(p.load))); }, true});
  if (has_runs(result))
    columns.push_back(
        {std::string(run_word(result)), [](const PointResult& p) { return fmt::format("{}", p.load.run); }});
}

void add_times(const RunResult& result, std::vector<MarkdownColumn>& columns) {
  const bool open = result.points.front().load.open_loop;
  const bool per_token = std::ranges::any_of(result.points, [](const auto& p) { return p.find("itl"); });
  const std::string ttft = open ? "ttft_response" : "ttft", e2e = open ? "e2e_response" : "e2e";
  // An open loop's latencies count from the intended time, and say so: an assertion on `ttft` has another
  // figure.
  const std::string from = open ? " from intended" : "";
  columns.push_back(metric_column("TTFT" + from + " p50 ms", ttft, 50));
  columns.push_back(difference_cell(result, ttft, "p50"));
  columns.push_back(metric_column("TTFT" + from + " p95 ms", ttft, 95));
  columns.push_back(metric_column(per_token ? "ITL p50 ms" : "ICL p50 ms", per_token ? "itl" : "icl", 50));
  columns.push_back(metric_column("TPOT p50 ms", "tpot", 50));
  columns.push_back(difference_cell(result, "tpot", "p50"));
  columns.push_back(metric_column("E2E" + from + " p50 ms", e2e, 50));
}

std::optional<double> measured_rate(const PointResult& point, double Rates::* rate) {
  const double value = point.rates().*rate;
  return point.has_figures() && value > 0 ? std::optional<double>(value) : std::nullopt;
}

std::string met_words(const PointResult& point) {
  const auto share = slo_figure(point, &SloResult::attainment);
  return share ? as_percent(*share) : std::string();
}

void add_rates(const RunResult& result, std::vector<MarkdownColumn>& columns) {
  columns.push_back(
      number_cell("tok/s out", [](const PointResult& p) { return measured_rate(p, &Rates::output); }));
  columns.push_back(difference_cell(result, "output_throughput", ""));
  columns.push_back(number_cell("vectors/s", [](const PointResult& p) { return p.item_throughput; }));
  columns.push_back(
      number_cell("req/s", [](const PointResult& p) { return measured_rate(p, &Rates::request); }));
  columns.push_back({"SLOs met", met_words});
  columns.push_back(number_cell("$ per 1k answers", [](const PointResult& p) {
    return p.cost ? std::optional<double>(p.cost->per_1k) : std::nullopt;
  }));
  columns.push_back({"ok", [](const PointResult& p) {
                       return fmt::format("{} / {}", format_count(p.ok), format_count(p.requests));
                     }});
  columns.push_back({"", [](const PointResult& p) { return markdown_text(point_note(p).text); }, true});
}

std::string row_of(const std::vector<std::string>& cells) {
  std::string row = "|";
  for (const auto& cell : cells) row += " " + cell + " |";
  return row + "\n";
}

}  // namespace

std::string markdown_table(const RunResult& result) {
  Points points;
  for (const auto& load : by_load(result))
    std::ranges::copy_if(load, std::back_inserter(points), [](const auto* p) { return was_measured(*p); });
  if (points.empty()) return {};
  std::vector<MarkdownColumn> columns;
  add_keys(result, columns);
  add_times(result, columns);
  add_rates(result, columns);
  std::erase_if(columns, [&](const MarkdownColumn& column) {
    return std::ranges::all_of(points, [&](const auto* p) { return column.cell(*p).empty(); });
  });
  std::vector<std::string> heads;
  std::string rule = "|";
  for (const auto& column : columns) {
    heads.push_back(column.head);
    rule += column.left ? "---|" : "---:|";
  }
  std::string text = row_of(heads) + rule + "\n";
  for (const auto* point : points) {
    std::vector<std::string> cells;
    for (const auto& column : columns) cells.push_back(column.cell(*point));
    text += row_of(cells);
  }
  return text;
}

}  // namespace infermeter
