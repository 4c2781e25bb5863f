// The rows of the server's own metrics (ServerWindow): tier `prometheus` of docs/metrics.md.
#include <algorithm>

#include "model/catalogue.hpp"

namespace infermeter {

namespace {

using Out = FigureOutput;
using Unit = FigureUnit;
using Value = std::optional<double>;

constexpr std::string_view kNotScraped = "The server's metrics page does not tell it, or was not read.";

Value mean_of(const PointView& view, std::string_view time) {
  const auto& scraped = view.point.scraped;
  const Metric* metric = scraped ? scraped->find(time) : nullptr;
  return metric ? Value(metric->mean) : std::nullopt;
}

const GaugeSummary* level_of(const PointView& view, std::string_view name) {
  if (!view.point.scraped) return nullptr;
  const auto& gauges = view.point.scraped->gauges;
  const auto it = std::ranges::find(gauges, name, &GaugeSummary::name);
  return it == gauges.end() ? nullptr : &*it;
}

template <double GaugeSummary::* part>
Value level(const PointView& view, std::string_view name) {
  const GaugeSummary* found = level_of(view, name);
  return found ? Value(found->*part) : std::nullopt;
}

Value increase(const PointView& view, std::string_view name) {
  return view.point.scraped ? view.point.scraped->count(name) : std::nullopt;
}

/// Nothing where the whole is absent or did not grow.
Value ratio(Value part, Value whole) {
  return part && whole && *whole > 0 ? Value(std::min(1.0, *part / *whole)) : std::nullopt;
}

/// By tokens, by blocks, or as the server says.
Value prefix_hits(const PointView& view) {
  if (const auto hits = ratio(increase(view, "prefix_hits"), increase(view, "prefix_queries"))) return hits;
  if (const auto cached = ratio(increase(view, "cached_tokens"), increase(view, "prompt_tokens")))
    return cached;
  const auto reused = increase(view, "reused_blocks"), missed = increase(view, "missed_blocks");
  if (reused && missed) return ratio(reused, *reused + *missed);
  return level<&GaugeSummary::mean>(view, "prefix_hit_rate");
}

Value acceptance(const PointView& view) {
  if (const auto accepted = ratio(increase(view, "accepted_tokens"), increase(view, "draft_tokens")))
    return accepted;
  return level<&GaugeSummary::mean>(view, "acceptance");
}

void add(Rows& rows, Figure figure) {
  figure.level = FigureLevel::point;
  figure.in_slo = false;
  figure.of_class = false;
  figure.absent = kNotScraped;
  rows.push_back(std::move(figure));
}

void add_scraped_times(Rows& rows) {
  add(rows,
      {.name = "prometheus_ttft",
       .label = "TTFT by the server's metrics",
       .formula = "mean from arrival at the server to the first token: increase of the sum / of the count",
       .of_point = [](const PointView& view) { return mean_of(view, "ttft"); }});
  add(rows, {.name = "prometheus_queue",
             .label = "Queue by the server's metrics",
             .formula = "mean from arrival at the server to the first scheduling",
             .of_point = [](const PointView& view) { return mean_of(view, "queue"); },
             .shown = {{Out::compare, "", 20}}});
  add(rows, {.name = "prometheus_prefill",
             .label = "Prefill by the server's metrics",
             .formula = "mean from the first scheduling to the first token",
             .of_point = [](const PointView& view) { return mean_of(view, "prefill"); },
             .shown = {{Out::compare, "", 21}}});
  add(rows, {.name = "prometheus_decode",
             .label = "Decode by the server's metrics",
             .formula = "mean from the first token to the last",
             .of_point = [](const PointView& view) { return mean_of(view, "decode"); }});
  add(rows, {.name = "prometheus_itl",
             .label = "ITL by the server's metrics",
             .formula = "mean between two outputs of a request, each of one or more tokens",
             .of_point = [](const PointView& view) { return mean_of(view, "itl"); }});
  add(rows, {.name = "prometheus_e2e",
             .label = "E2E by the server's metrics",
             .formula = "mean from arrival at the server to the last token",
             .of_point = [](const PointView& view) { return mean_of(view, "e2e"); }});
}

void add_scraped_levels(Rows& rows) {
  add(rows, {.name = "prometheus_running",
             .unit = Unit::count,
             .label = "Running requests by the server's metrics",
             .formula = "mean over the scrapes of the measurement, three or more",
             .of_point = [](const PointView& view) { return level<&GaugeSummary::mean>(view, "running"); }});
  add(rows, {.name = "prometheus_waiting",
             .unit = Unit::count,
             .label = "Waiting requests by the server's metrics",
             .formula = "likewise, of requests that are not scheduled yet",
             .of_point = [](const PointView& view) { return level<&GaugeSummary::mean>(view, "waiting"); }});
  add(rows, {.name = "prometheus_kv_cache",
             .unit = Unit::share,
             .label = "KV cache in use",
             .formula = "likewise, of the share of its blocks that are in use",
             .margin = kShareMargin,
             .of_point = [](const PointView& view) { return level<&GaugeSummary::mean>(view, "kv_cache"); }});
  add(rows, {.name = "prometheus_kv_cache_max",
             .unit = Unit::share,
             .label = "KV cache in use, at most",
             .formula = "the greatest of these shares",
             .margin = kShareMargin,
             .of_point = [](const PointView& view) { return level<&GaugeSummary::max>(view, "kv_cache"); },
             .shown = {{Out::compare, "", 22}}});
}

void add_scraped_counts(Rows& rows) {
  add(rows, {.name = "prometheus_preemptions",
             .unit = Unit::count,
             .label = "Preemptions",
             .formula = "requests that the server took out of its batch for lack of KV cache",
             .of_point = [](const PointView& view) { return increase(view, "preemptions"); },
             .shown = {{Out::compare, "", 23}}});
  add(rows, {.name = "prometheus_prefix_hits",
             .unit = Unit::share,
             .label = "Prefix hits by the server's metrics",
             .formula = "prompt tokens (or blocks) found in the prefix cache / looked up",
             .margin = kShareMargin,
             .more_is_better = true,
             .of_point = prefix_hits});
  add(rows, {.name = "prometheus_acceptance",
             .unit = Unit::share,
             .label = "Draft tokens accepted",
             .formula = "accepted tokens / draft tokens of speculative decoding",
             .margin = kShareMargin,
             .more_is_better = true,
             .of_point = acceptance});
}

}  // namespace

void add_server_rows(std::vector<Figure>& rows) {
  for (auto* part : {add_scraped_times, add_scraped_levels, add_scraped_counts}) part(rows);
}

}  // namespace infermeter
