#include <fmt/format.h>

#include "infermeter/base/units.hpp"
#include "report/tables/columns.hpp"
#include "report/tables/figures.hpp"
#include "report/tables/metric_grid.hpp"
#include "report/tables/summary_lines.hpp"
#include "report/text/text.hpp"

namespace infermeter {
namespace {

std::string interval(double low, double high) {
  return fmt::format("({} … {})", bare_percent(low), bare_percent(high));
}

std::string all_of(const SloResult& slo) {
  return as_percent(slo.attainment) + " " + interval(slo.low, slo.high);
}

Span alone(const std::string& slo, const std::optional<double>& share) {
  if (share) return {slo + " " + as_percent(*share)};
  const std::string_view instead = slo.starts_with("itl") ? ": use icl or tpot" : "";
  return {fmt::format("{} not judged, no answer has the figure{}", slo, instead), Style::warn};
}

std::string text_of(const std::optional<double>& value) { return value ? figure(*value) : "–"; }

void print_cache(const CacheFacts& cache, Page& page) {
  if (cache.mean_cached <= 0) {
    page.items(" Cache", {{"cold: no prompt token came from the server's prefix cache"}});
    return;
  }
  page.items(" Cache", {{as_percent(cache.hit_share) + " of the prompt tokens were hits"},
                        {fmt::format("{} cached tokens a request", figure(cache.mean_cached))}});
}

void print_cost(const Cost& cost, Page& page) {
  std::string from =
      cost.source.starts_with("server") ? "as the server says (usage.cost)" : "by the prices given";
  if (cost.source == "per_hour") from = "by the price per hour";
  if (cost.source.ends_with("estimated")) from += ", partly estimated: not all answers were counted";
  page.items(" Cost", {{fmt::format("${} per 1,000 answers", format_number(cost.per_1k))},
                       {fmt::format("${} in all", format_number(cost.total))},
                       {from, Style::dim}});
}

void print_limits(const RateLimitFacts& limits, Page& page) {
  std::vector<Span> items;
  if (limits.limited > 0)
    items.push_back({counted(limits.limited, "answer", "answers") + " 429 or 503", Style::warn});
  if (limits.retry_after_s)
    items.push_back({fmt::format("longest Retry-After {} s", figure(*limits.retry_after_s))});
  if (limits.waited_s > 0) items.push_back({fmt::format("waited {} s in all", figure(limits.waited_s))});
  for (const auto& [header, value] : limits.headers)
    items.push_back({fmt::format("{}: {}", header, value), Style::dim});
  if (!items.empty()) page.items(" Rate limits", items);
}

void print_sent_again(const PointResult& point, Page& page) {
  if (point.retries == 0) return;
  page.items(" Retries",
             {{counted(point.retried_requests, "request", "requests") + " sent again", Style::warn},
              {counted(point.retries, "retry", "retries") + " in all"},
              {point.find("ttft_response") || point.find("e2e_response")
                   ? "only times \"incl. delay\" include all tries"
                   : "no answer among them",
               Style::dim}});
}

}  // namespace

void print_slo(const PointResult& point, Page& page) {
  if (!point.slo) return;
  const SloResult& slo = *point.slo;
  std::vector<Span> items;
  if (slo.each.size() == 1 && slo.requests > 0) {
    items.push_back({slo.each[0].first + " " + all_of(slo), Style::bold});
  } else {
    for (const auto& [text, share] : slo.each) items.push_back(alone(text, share));
    if (slo.requests > 0) items.push_back({"all " + all_of(slo), Style::bold});
  }
  if (slo.requests > 0) items.push_back({fmt::format("goodput {} req/s", figure(slo.goodput)), Style::bold});
  for (const auto& [text, count] : slo.without)
    items.push_back({fmt::format("{} without the figure of {}, and miss it",
                                 counted(count, "answer is", "answers are"), text),
                     Style::warn});
  page.items(" SLOs", items);
}

void print_facts(const PointResult& point, Page& page) {
  if (point.cache) print_cache(*point.cache, page);
  if (point.cost) print_cost(*point.cost, page);
  if (point.rate_limits) print_limits(*point.rate_limits, page);
  print_sent_again(point, page);
}

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

}  // namespace infermeter
