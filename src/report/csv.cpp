#include "infermeter/report/csv.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <functional>

namespace infermeter {
namespace {

struct Context {
  const RunResult& run;
  const PointResult& point;
  const TargetFacts& target;
};

struct Field {
  std::string name;
  std::function<std::string(const Context&)> value;
};

std::string text_of(const std::string& text) {
  if (text.find_first_of(",\"\r\n") == std::string::npos) return text;
  std::string quoted = "\"";
  for (const char c : text) quoted.append(c == '"' ? 2 : 1, c);
  return quoted + "\"";
}
std::string text_of(double value) { return std::isfinite(value) ? fmt::format("{}", value) : std::string(); }
std::string text_of(bool value) { return value ? "true" : "false"; }
template <typename T>
  requires std::integral<T>
std::string text_of(T value) {
  return fmt::format("{}", value);
}
template <typename T>
std::string text_of(const std::optional<T>& value) {
  return value ? text_of(*value) : std::string();
}

template <typename Value>
Field field(std::string name, Value value) {
  return {std::move(name), [value = std::move(value)](const Context& c) { return text_of(value(c)); }};
}

std::vector<Field> run_fields() {
  return {field("run_id", [](const Context& c) { return c.run.run_id; }),
          field("start_utc", [](const Context& c) { return c.run.start_utc; }),
          field("tool_version", [](const Context& c) { return c.run.tool_version; }),
          field("target", [](const Context& c) { return c.target.name; }),
          field("url", [](const Context& c) { return c.target.url; }),
          field("model", [](const Context& c) { return c.target.model; }),
          field("point", [](const Context& c) { return c.point.point; })};
}

template <typename T>
std::optional<T> only_if(bool condition, T value) {
  return condition ? std::optional<T>(value) : std::nullopt;
}

std::vector<Field> load_fields() {
  using C = const Context&;
  return {
      field("arrival", [](C c) { return c.point.load.arrival; }),
      field("concurrency", [](C c) { return only_if(!c.point.load.open_loop, c.point.load.concurrency); }),
      field("rate", [](C c) { return only_if(c.point.load.open_loop, c.point.load.rate); }),
      field("seed", [](C c) { return c.point.load.seed; }),
      field("input_tokens", [](C c) { return c.run.workload.input_tokens; }),
      field("output_tokens", [](C c) { return c.point.load.output_tokens; }),
      field("requests", [](C c) { return c.point.requests; }),
      field("ok", [](C c) { return c.point.ok; }),
      field("warmup_requests", [](C c) { return c.point.warmup_requests; }),
      field("trustworthy", [](C c) { return c.point.validity.trustworthy; }),
      field("partial", [](C c) { return c.point.validity.partial; }),
      field("token_source", [](C c) { return c.point.token_source; }),
      field("tokens_per_event",
            [](C c) { return only_if(c.point.tokens_per_event > 0, c.point.tokens_per_event); }),
      field("comfort", [](C c) { return c.point.comfort; }),
      field("achieved_ratio", [](C c) { return c.point.achieved_ratio; }),
      field("late_share", [](C c) { return c.point.late_share; }),
      field("packed_share", [](C c) { return c.point.packed_share; })};
}

void add_rate_fields(std::vector<Field>& fields, const std::string& prefix,
                     std::function<const Rates*(const Context&)> of) {
  const auto add = [&](const std::string& name, double Rates::* member) {
    fields.push_back(field(prefix + name, [of, member](const Context& c) {
      const Rates* rates = of(c);
      return rates ? std::optional<double>(rates->*member) : std::nullopt;
    }));
  };
  add("window_s", &Rates::window_s);
  add("request_throughput", &Rates::request);
  add("input_throughput", &Rates::input);
  add("output_throughput", &Rates::output);
  add("total_throughput", &Rates::total);
  add("concurrency", &Rates::concurrency);
}

/// The columns are the same in every file, whatever was measured, so that files can be put together.
struct KnownMetric {
  std::string_view name, unit;
  bool low_tail = false;
};
constexpr std::array<KnownMetric, 20> kMetrics{
    {{"client_queue", "ms"}, {"dns", "ms"},     {"connect", "ms"}, {"tls", "ms"},
     {"upload", "ms"},       {"ttfb", "ms"},    {"ttft", "ms"},    {"ttft_response", "ms"},
     {"ttfo", "ms"},         {"ttst", "ms"},    {"icl", "ms"},     {"itl", "ms"},
     {"tpot", "ms"},         {"tps", "", true}, {"e2e", "ms"},     {"e2e_response", "ms"},
     {"tail", "ms"},         {"max_gap", "ms"}, {"stalls", ""},    {"chars_per_second", "", true}}};

Field metric_field(const KnownMetric& metric, const std::string& statistic,
                   std::function<std::string(const Metric&)> value) {
  const std::string unit = metric.unit.empty() ? "" : fmt::format("_{}", metric.unit);
  return {fmt::format("{}{}_{}", metric.name, unit, statistic),
          [name = std::string(metric.name), value = std::move(value)](const Context& c) {
            const Metric* found = c.point.find(name);
            return found && found->count > 0 ? value(*found) : std::string();
          }};
}

void add_metric_fields(std::vector<Field>& fields, const KnownMetric& metric) {
  const auto add = [&](const std::string& statistic, auto member) {
    fields.push_back(
        metric_field(metric, statistic, [member](const Metric& m) { return text_of(m.*member); }));
  };
  add("count", &Metric::count);
  add("mean", &Metric::mean);
  add("stddev", &Metric::stddev);
  add("min", &Metric::min);
  for (const double p :
       metric.low_tail ? std::vector<double>{50, 10, 5, 1} : std::vector<double>{50, 90, 95, 99, 99.9}) {
    fields.push_back(metric_field(metric, fmt::format("p{}", p), [p](const Metric& m) {
      const Percentile* found = m.find(p);
      return found ? text_of(found->value) : std::string();
    }));
  }
  add("max", &Metric::max);
}

std::vector<Field> all_fields() {
  std::vector<Field> fields = run_fields();
  for (auto& more : load_fields()) fields.push_back(std::move(more));
  add_rate_fields(fields, "steady_",
                  [](const Context& c) { return c.point.steady ? &*c.point.steady : nullptr; });
  add_rate_fields(fields, "whole_", [](const Context& c) { return &c.point.whole; });
  for (const auto& metric : kMetrics) add_metric_fields(fields, metric);
  return fields;
}

}  // namespace

std::string result_to_csv(const RunResult& result) {
  const std::vector<Field> fields = all_fields();
  std::string out;
  const auto add = [&](const std::string& value, std::size_t index) {
    if (index > 0) out += ',';
    out += value;
  };
  for (std::size_t i = 0; i < fields.size(); ++i) add(fields[i].name, i);
  out += '\n';
  const TargetFacts unknown;
  for (const auto& point : result.points) {
    const TargetFacts& target = point.target < result.targets.size() ? result.targets[point.target] : unknown;
    for (std::size_t i = 0; i < fields.size(); ++i) add(fields[i].value({result, point, target}), i);
    out += '\n';
  }
  return out;
}

}  // namespace infermeter
