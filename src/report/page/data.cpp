#include "report/page/html_parts.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <nlohmann/json.hpp>

#include "model/figure_choice.hpp"
#include "report/media/media.hpp"
#include "report/tables/metric_grid.hpp"
#include "report/tables/sections.hpp"
#include "report/tables/sweep.hpp"

namespace infermeter {
namespace {

using Json = nlohmann::ordered_json;

/// A chart cannot show more digits, and they would be most of the file.
Json rounded(double value, int digits = 5) {
  if (!std::isfinite(value)) return nullptr;
  const std::string text = fmt::format("{:.{}g}", value, digits);
  double out = 0;
  std::from_chars(text.data(), text.data() + text.size(), out);
  if (out == std::floor(out) && std::abs(out) < 1e15) return static_cast<std::int64_t>(out);
  return out;
}

/// Offsets into a long run need the digits of their step.
Json instant(double seconds) { return rounded(seconds, 9); }

Json rounded(const std::vector<double>& values) {
  Json out = Json::array();
  for (const double value : values) out.push_back(rounded(value));
  return out;
}

Json bound_json(const std::optional<double>& bound) { return bound ? rounded(*bound) : Json(nullptr); }

/// The intervals of the percentiles that the chart marks: [share, low, high].
Json intervals_json(const Metric* metric) {
  Json out = Json::array();
  for (const double which : {50.0, 95.0, 99.0}) {
    const Percentile* found = metric ? metric->find(which) : nullptr;
    if (found && (found->low || found->high))
      out.push_back(Json::array({which / 100, bound_json(found->low), bound_json(found->high)}));
  }
  return out;
}

Json distribution_json(const Distribution& distribution, const PointResult& point, bool events) {
  Json cdf = Json::array();
  for (const auto& [value, share] : distribution.cdf)
    cdf.push_back(Json::array({rounded(value), rounded(share)}));
  return Json{{"metric", distribution.metric},
              {"title", chart_title(distribution.metric, events)},
              {"count", distribution.count},
              {"edges", rounded(distribution.edges)},
              {"counts", rounded(distribution.counts)},
              {"cdf", std::move(cdf)},
              {"intervals", intervals_json(point.find(distribution.metric))}};
}

Json timeline_json(const Timeline& timeline) {
  return Json{{"from", instant(timeline.from_s)},
              {"step", timeline.step_s},
              {"in_flight", rounded(timeline.in_flight)},
              {"tokens", rounded(timeline.output_tokens_per_s)},
              {"ttft_p50", rounded(timeline.ttft_p50_ms)},
              {"ttft_p95", rounded(timeline.ttft_p95_ms)},
              {"errors", timeline.errors}};
}

/// The levels of the server's metrics, a list each.
Json server_json(const PointResult& point) {
  Json at = Json::array(), running = Json::array(), waiting = Json::array(), kv_cache = Json::array();
  const auto value = [](const std::optional<double>& level) {
    return level ? Json(rounded(*level)) : Json(nullptr);
  };
  if (point.scraped) {
    for (const auto& levels : point.scraped->course) {
      at.push_back(instant(levels.at_s));
      running.push_back(value(levels.running));
      waiting.push_back(value(levels.waiting));
      kv_cache.push_back(value(levels.kv_cache));
    }
  }
  return Json{{"at", at}, {"running", running}, {"waiting", waiting}, {"kv_cache", kv_cache}};
}

Json bar_json(const WaterfallBar& bar) {
  return Json::array({bar.id, instant(bar.intended_s), instant(bar.sent_s), instant(bar.queued_until_s),
                      instant(bar.first_token_s), instant(bar.end_s), bar.failed ? 1 : 0});
}

Json stream_json(const StreamTrace& stream) {
  return Json{
      {"id", stream.id}, {"why", stream.why}, {"at", rounded(stream.at_ms)}, {"gap", rounded(stream.gap_ms)}};
}

template <typename T, typename F>
Json array_of(const std::vector<T>& values, F one) {
  Json out = Json::array();
  for (const auto& value : values) out.push_back(one(value));
  return out;
}

Json dot_json(const PromptDot& dot) { return Json::array({dot.prompt_tokens, rounded(dot.ttft_ms)}); }

const PointResult* find_point(const RunResult& result, std::uint32_t point, std::uint32_t target) {
  const auto it = std::ranges::find_if(
      result.points, [&](const PointResult& p) { return p.point == point && p.target == target; });
  return it == result.points.end() ? nullptr : &*it;
}

Json steady_json(const PointResult& point) {
  if (!point.steady || point.steady_to_s <= point.steady_from_s) return nullptr;
  return Json::array({instant(point.steady_from_s), instant(point.steady_to_s)});
}

Json point_json(const RunResult& result, const PointResult& point, const PointCharts& charts) {
  const bool events = counts_events(point);
  return Json{{"point", point.point},
              {"target", point.target},
              {"name", printable(plain_title(result, point), false)},
              {"open_loop", point.load.open_loop},
              {"gaps_kept", charts.gaps_kept},
              {"tokens", events ? "events" : "tokens"},
              {"steady", steady_json(point)},
              {"distributions", array_of(charts.distributions,
                                         [&](const auto& d) { return distribution_json(d, point, events); })},
              {"timeline", timeline_json(charts.timeline)},
              {"server", server_json(point)},
              {"prompts", array_of(charts.ttft_by_prompt, dot_json)},
              {"waterfall", array_of(charts.waterfall, bar_json)},
              {"streams", array_of(charts.streams, stream_json)}};
}

Json points_json(const RunResult& result, const Charts& charts) {
  Json out = Json::array();
  for (const auto& entry : charts.points) {
    if (const auto* point = find_point(result, entry.point, entry.target))
      out.push_back(point_json(result, *point, entry));
  }
  return out;
}

Json estimate_json(const PointResult& point, const Figure& figure, std::string_view statistic) {
  const auto value = estimate_of(point, figure, statistic).value;
  return value ? rounded(*value) : Json(nullptr);
}

/// The mark of a load beside its dot: "32", "20/s", "32, 8k/1k".
std::string short_load(const LoadPoint& load) {
  std::string text =
      load.open_loop ? fmt::format("{:.6g}/s", load.rate) : fmt::format("{}", load.concurrency);
  if (load.arrival == Arrival::trace) text = load.replay.empty() ? "1x" : load.replay;
  return load.shape.empty() ? text : text + ", " + load.shape;
}

/// A row per point of the sweep, whether or not it has a speed.
Json sweep_json(const RunResult& result, const Charts& charts) {
  Json out = Json::array();
  for (const auto& point : result.points) {
    if (!point.has_figures()) continue;
    const Figure& ttft = headline_figure(*find_figure("ttft"), point.load.open_loop);
    const auto speed = std::ranges::find_if(charts.speeds, [&](const SpeedDot& dot) {
      return dot.point == point.point && dot.target == point.target;
    });
    const bool known = speed != charts.speeds.end();
    out.push_back(Json{{"point", point.point},
                       {"target", point.target},
                       {"load", printable(short_load(point.load), false)},
                       {"output", estimate_json(point, *find_figure("output_throughput"), "")},
                       {"ttft_p50", estimate_json(point, ttft, "p50")},
                       {"ttft_p95", estimate_json(point, ttft, "p95")},
                       {"per_user", known ? rounded(speed->per_user) : Json(nullptr)},
                       {"per_owner", known ? rounded(speed->output) : Json(nullptr)},
                       {"pareto", known && speed->pareto},
                       {"knee", is_knee(result, point)}});
  }
  return out;
}

/// The changes of a gate that have a value, with their limits.
Json gate_json(const RunResult& result) {
  Json out = Json::array();
  if (!result.verdict) return out;
  for (const auto& judgement : result.verdict->judgements) {
    if (!judgement.relative || !judgement.value) continue;
    const auto [figure, statistic] = figure_choice(judgement.text);
    std::string what =
        figure ? std::string(figure->label) + (statistic.empty() ? "" : " ") + std::string(statistic)
               : judgement.text;
    if (!judgement.where.empty()) what += ", " + judgement.where;
    out.push_back(Json{{"name", printable(what, false)},
                       {"value", rounded(*judgement.value)},
                       {"low", bound_json(judgement.low)},
                       {"high", bound_json(judgement.high)},
                       {"limit", bound_json(judgement.limit)},
                       {"decision", name(judgement.decision)}});
  }
  return out;
}

bool has_lengths(const RunResult& result) {
  if (result.scenario == "context-sweep" || !result.context_fits.empty()) return true;
  return std::ranges::any_of(result.points,
                             [&](const auto& p) { return p.load.shape != result.points.front().load.shape; });
}

/// A row per point with a known prompt length, where the run is about lengths.
Json lengths_json(const RunResult& result) {
  Json out = Json::array();
  if (result.points.empty() || !has_lengths(result)) return out;
  for (const auto& point : result.points) {
    if (!point.has_figures() || point.ok == 0 || point.prompt_tokens == 0) continue;
    const Figure& ttft = headline_figure(*find_figure("ttft"), point.load.open_loop);
    LoadPoint level = point.load;
    level.shape.clear();
    out.push_back(
        Json{{"target", point.target},
             {"level", printable(short_load(level), false)},
             {"load", printable(short_load(point.load), false)},
             {"tokens", rounded(static_cast<double>(point.prompt_tokens) / static_cast<double>(point.ok))},
             {"ttft_p50", estimate_json(point, ttft, "p50")},
             {"ttft_p95", estimate_json(point, ttft, "p95")}});
  }
  return out;
}

Json fits_json(const RunResult& result) {
  return array_of(result.context_fits, [](const ContextFit& fit) {
    return Json{
        {"target", fit.target}, {"a", rounded(fit.a)}, {"b", rounded(fit.b, 9)}, {"c", rounded(fit.c, 9)}};
  });
}

Json targets_json(const RunResult& result) {
  Json out = Json::array();
  for (std::uint32_t i = 0; i < result.targets.size(); ++i)
    out.push_back(printable(target_name(result, i), false));
  return out;
}

}  // namespace

std::string chart_title(const std::string& metric, bool events) {
  const Figure* figure = find_figure(metric);
  return figure ? figure_label(*figure, events) : metric;
}

std::string chart_data(const RunResult& result, const Charts& charts) {
  Json root = Json::object();
  root["targets"] = targets_json(result);
  root["per_gpu"] = charts.per_gpu;
  root["points"] = points_json(result, charts);
  root["sweep"] = sweep_json(result, charts);
  root["gate"] = gate_json(result);
  root["lengths"] = lengths_json(result);
  root["fits"] = fits_json(result);
  return script_json(root.dump(-1, ' ', false, Json::error_handler_t::replace));
}

}  // namespace infermeter
