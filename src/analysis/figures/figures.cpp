#include "analysis/figures/figures.hpp"

#include <algorithm>
#include <array>
#include <charconv>

namespace infermeter {

namespace {

constexpr Figure latency(std::string_view name, bool of_one_request = true) {
  return {name, FigureUnit::milliseconds, true, false, of_one_request, false};
}
constexpr Figure gap(std::string_view name) {
  return {name, FigureUnit::milliseconds, true, false, true, true};
}
constexpr Figure rate(std::string_view name, FigureUnit unit) {
  return {name, unit, true, true, true, false};
}
constexpr Figure single(std::string_view name, FigureUnit unit) { return {.name = name, .unit = unit}; }
constexpr Figure of_the_whole(std::string_view name, FigureUnit unit) {
  return {.name = name, .unit = unit, .of_class = false};
}

constexpr std::array kFigures{
    latency("client_queue"),
    latency("dns"),
    latency("connect"),
    latency("tls"),
    latency("upload"),
    latency("ttfb"),
    latency("ttft"),
    latency("ttft_response"),
    latency("ttfo"),
    latency("ttst"),
    gap("icl"),
    gap("itl"),
    latency("tpot"),
    rate("tps", FigureUnit::tokens_per_second),
    rate("chars_per_second", FigureUnit::chars_per_second),
    latency("e2e"),
    latency("e2e_response"),
    latency("tail"),
    latency("max_gap"),
    Figure{"stalls", FigureUnit::count, true, false, true, false},
    latency("server_queue", false),
    latency("server_prefill", false),
    latency("server_decode", false),
    latency("server_ttft", false),
    single("request_throughput", FigureUnit::per_second),
    of_the_whole("input_throughput", FigureUnit::tokens_per_second),
    single("output_throughput", FigureUnit::tokens_per_second),
    of_the_whole("total_throughput", FigureUnit::tokens_per_second),
    of_the_whole("item_throughput", FigureUnit::per_second),
    of_the_whole("output_per_gpu", FigureUnit::tokens_per_second),
    single("goodput", FigureUnit::per_second),
    single("slo_attainment", FigureUnit::share),
    single("error_rate", FigureUnit::share),
    of_the_whole("rate_limited", FigureUnit::share),
    of_the_whole("comfort", FigureUnit::share),
    of_the_whole("achieved_ratio", FigureUnit::share),
    of_the_whole("cache_hit_share", FigureUnit::share),
    of_the_whole("concurrency", FigureUnit::count),
    of_the_whole("tokens_per_event", FigureUnit::count),
    of_the_whole("cost", FigureUnit::money),
    of_the_whole("cost_per_1k", FigureUnit::money),
    single("requests", FigureUnit::count),
    single("ok", FigureUnit::count),
    of_the_whole("retries", FigureUnit::count),
};

}  // namespace

std::span<const Figure> known_figures() { return kFigures; }

const Figure* find_figure(std::string_view name) {
  const auto it = std::ranges::find(kFigures, name, &Figure::name);
  return it == kFigures.end() ? nullptr : &*it;
}

std::vector<std::string> statistics_of(const Figure& figure) {
  if (figure.low_tail) return {"mean", "min", "max", "p50", "p10", "p5", "p1"};
  return {"mean", "min", "max", "p50", "p90", "p95", "p99", "p99.9"};
}

const Metric* find_distribution(const PointResult& point, std::string_view name) {
  constexpr std::string_view server = "server_";
  if (!name.starts_with(server)) return point.find(name);
  const auto it = std::ranges::find(point.server_metrics, name.substr(server.size()), &Metric::name);
  return it == point.server_metrics.end() ? nullptr : &*it;
}

bool is_upper(Comparison comparison) {
  return comparison == Comparison::below || comparison == Comparison::at_most;
}

std::optional<double> percentile_of(std::string_view statistic) {
  if (!statistic.starts_with('p')) return std::nullopt;
  double percentile = 0;
  const char* end = statistic.data() + statistic.size();
  const auto [stop, error] = std::from_chars(statistic.data() + 1, end, percentile);
  if (error != std::errc() || stop != end || percentile <= 0 || percentile >= 100) return std::nullopt;
  return percentile;
}

std::string_view kind_words(FigureUnit unit) {
  const auto words = unit_words(unit);
  return words.substr(0, words.find(':'));
}

std::string_view unit_name(FigureUnit unit) {
  switch (unit) {
    case FigureUnit::milliseconds:
      return "ms";
    case FigureUnit::share:
      return "share";
    case FigureUnit::tokens_per_second:
      return "tokens/s";
    case FigureUnit::chars_per_second:
      return "chars/s";
    case FigureUnit::per_second:
      return "requests/s";
    case FigureUnit::money:
      return "";
    case FigureUnit::count:
      break;
  }
  return "count";
}

std::string_view unit_words(FigureUnit unit) {
  switch (unit) {
    case FigureUnit::milliseconds:
      return "a time: 500ms, 1.5s";
    case FigureUnit::share:
      return "a share: 1%, 0.01";
    case FigureUnit::tokens_per_second:
      return "a number of tokens per second: 30, 4k, 30tok/s";
    case FigureUnit::chars_per_second:
      return "a number of characters per second: 120, 120chars/s";
    case FigureUnit::per_second:
      return "a number per second: 20, 20/s";
    case FigureUnit::money:
      return "a price: 0.60";
    case FigureUnit::count:
      break;
  }
  return "a number: 100, 4k";
}

}  // namespace infermeter
