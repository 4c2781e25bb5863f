#include "report/formats/csv.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <functional>

#include "report/text/csv_text.hpp"

namespace infermeter {
namespace {

/// Of a row: a point, or one slice of it.
struct Context {
  const RunResult& run;
  const PointResult& point;
  const TargetFacts& target;
  const Slice* slice = nullptr;
  const Metric* find(std::string_view metric) const {
    return slice ? slice->find(metric) : point.find(metric);
  }
};

struct Field {
  std::string name;
  std::function<std::string(const Context&)> value;
};

template <typename Value>
Field field(std::string name, Value value) {
  return {std::move(name), [value = std::move(value)](const Context& c) { return csv_text(value(c)); }};
}

std::vector<Field> run_fields() {
  return {field("run_id", [](const Context& c) { return c.run.run_id; }),
          field("start_utc", [](const Context& c) { return c.run.start_utc; }),
          field("tool_version", [](const Context& c) { return c.run.tool_version; }),
          field("target", [](const Context& c) { return c.target.name; }),
          field("url", [](const Context& c) { return c.target.url; }),
          field("model", [](const Context& c) { return c.target.model; }),
          field("point", [](const Context& c) { return c.point.point; }),
          field("slice_by", [](const Context& c) { return std::string(c.slice ? name(c.slice->by) : ""); }),
          field("slice", [](const Context& c) { return c.slice ? c.slice->name : std::string(); })};
}

template <typename T>
std::optional<T> only_if(bool condition, T value) {
  return condition ? std::optional<T>(value) : std::nullopt;
}

/// What is known of a slice too.
template <typename T>
T either(const Context& c, T PointResult::* of_point, T Slice::* of_slice) {
  return c.slice ? c.slice->*of_slice : c.point.*of_point;
}

/// What is known of whole points only: blank in the row of a slice.
template <typename Value>
Field point_field(std::string name, Value value) {
  return {std::move(name), [value = std::move(value)](const Context& c) {
            return c.slice ? std::string() : csv_text(value(c.point));
          }};
}

/// Lengths that were asked for: of the slice's class, else at the point, else by the workload as people write
/// them.
std::string asked(const Context& c, std::uint32_t LoadPoint::* at_point, std::string Workload::* own) {
  if (c.slice && c.slice->by == SliceKind::traffic_class) {
    const auto it = std::ranges::find(c.run.classes, c.slice->name, &Workload::name);
    if (it != c.run.classes.end()) return (*it).*own;
  }
  const std::uint32_t tokens = c.point.load.*at_point;
  return tokens > 0 ? fmt::format("{}", tokens) : c.run.workload.*own;
}

std::vector<Field> load_fields() {
  using C = const Context&;
  return {
      field("scenario", [](C c) { return c.run.scenario; }),
      field("arrival", [](C c) { return std::string(name(c.point.load.arrival)); }),
      field("concurrency", [](C c) { return only_if(!c.point.load.open_loop, c.point.load.concurrency); }),
      field("rate", [](C c) { return only_if(c.point.load.open_loop, c.point.load.rate); }),
      field("stages", [](C c) { return c.point.load.stages; }),
      field("replay", [](C c) { return c.point.load.replay; }),
      field("shape", [](C c) { return c.point.load.shape; }),
      field("run", [](C c) { return c.point.load.run; }),
      field("seed", [](C c) { return c.point.load.seed; }),
      field("input_tokens", [](C c) { return asked(c, &LoadPoint::input_tokens, &Workload::input_tokens); }),
      field("output_tokens",
            [](C c) { return asked(c, &LoadPoint::output_tokens, &Workload::output_tokens); })};
}

std::vector<Field> count_fields() {
  using C = const Context&;
  using P = const PointResult&;
  return {field("requests", [](C c) { return either(c, &PointResult::requests, &Slice::requests); }),
          field("ok", [](C c) { return either(c, &PointResult::ok, &Slice::ok); }),
          point_field("warmup_requests", [](P p) { return p.warmup_requests; }),
          point_field("ramp_requests", [](P p) { return p.ramp_requests; }),
          point_field("conversations", [](P p) { return p.conversations; }),
          point_field("retries", [](P p) { return p.retries; }),
          point_field("trustworthy", [](P p) { return p.validity.trustworthy; }),
          point_field("partial", [](P p) { return p.validity.partial; }),
          point_field("token_source", [](P p) { return std::string(name(p.token_source)); }),
          point_field("tokens_per_event",
                      [](P p) { return only_if(p.tokens_per_event > 0, p.tokens_per_event); }),
          field("prompt_tokens_sum",
                [](C c) { return either(c, &PointResult::prompt_tokens, &Slice::prompt_tokens); }),
          field("cached_tokens_sum",
                [](C c) { return either(c, &PointResult::cached_tokens, &Slice::cached_tokens); }),
          field("output_tokens_sum",
                [](C c) { return either(c, &PointResult::output_tokens, &Slice::output_tokens); }),
          point_field("reasoning_tokens_sum", [](P p) { return p.reasoning_tokens; }),
          point_field("comfort", [](P p) { return p.comfort; }),
          point_field("achieved_ratio", [](P p) { return p.achieved_ratio; }),
          point_field("late_share", [](P p) { return p.late_share; }),
          point_field("packed_share", [](P p) { return p.packed_share; })};
}

template <typename Whole, typename Part>
std::optional<Part> part_of(const std::optional<Whole>& whole, Part Whole::* part) {
  return whole ? std::optional<Part>((*whole).*part) : std::nullopt;
}

Field slo_field(const std::string& name, double SloResult::* part) {
  return field(name,
               [part](const Context& c) { return part_of(either(c, &PointResult::slo, &Slice::slo), part); });
}

std::vector<Field> outcome_fields() {
  using P = const PointResult&;
  return {slo_field("slo_attainment", &SloResult::attainment),
          slo_field("slo_low", &SloResult::low),
          slo_field("slo_high", &SloResult::high),
          slo_field("goodput", &SloResult::goodput),
          point_field("cost", [](P p) { return part_of(p.cost, &Cost::total); }),
          point_field("cost_per_1k", [](P p) { return part_of(p.cost, &Cost::per_1k); }),
          point_field("cost_source", [](P p) { return part_of(p.cost, &Cost::source); }),
          point_field("cache_hit_share", [](P p) { return part_of(p.cache, &CacheFacts::hit_share); }),
          point_field("rate_limited", [](P p) { return part_of(p.rate_limits, &RateLimitFacts::limited); }),
          point_field("item_throughput", [](P p) { return p.item_throughput; }),
          point_field("output_per_gpu", [](P p) { return p.output_per_gpu; })};
}

std::vector<Field> slice_rate_fields() {
  using C = const Context&;
  return {
      field("slice_request_throughput",
            [](C c) { return c.slice ? std::optional<double>(c.slice->request_throughput) : std::nullopt; }),
      field("slice_output_throughput",
            [](C c) { return c.slice ? std::optional<double>(c.slice->output_throughput) : std::nullopt; })};
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
            const Metric* found = c.find(name);
            return found && found->count > 0 ? value(*found) : std::string();
          }};
}

void add_metric_fields(std::vector<Field>& fields, const KnownMetric& metric) {
  const auto add = [&](const std::string& statistic, auto member) {
    fields.push_back(
        metric_field(metric, statistic, [member](const Metric& m) { return csv_text(m.*member); }));
  };
  add("count", &Metric::count);
  add("mean", &Metric::mean);
  add("stddev", &Metric::stddev);
  add("min", &Metric::min);
  for (const double p :
       metric.low_tail ? std::vector<double>{50, 10, 5, 1} : std::vector<double>{50, 90, 95, 99, 99.9}) {
    fields.push_back(metric_field(metric, fmt::format("p{}", p), [p](const Metric& m) {
      const Percentile* found = m.find(p);
      return found ? csv_text(found->value) : std::string();
    }));
  }
  add("max", &Metric::max);
}

std::vector<Field> all_fields() {
  std::vector<Field> fields = run_fields();
  for (auto* part : {load_fields, count_fields, outcome_fields, slice_rate_fields}) {
    for (auto& more : part()) fields.push_back(std::move(more));
  }
  add_rate_fields(fields, "steady_",
                  [](const Context& c) { return c.point.steady && !c.slice ? &*c.point.steady : nullptr; });
  add_rate_fields(fields, "whole_", [](const Context& c) { return c.slice ? nullptr : &c.point.whole; });
  for (const auto& metric : kMetrics) add_metric_fields(fields, metric);
  return fields;
}

}  // namespace

std::string result_to_csv(const RunResult& result) {
  const std::vector<Field> fields = all_fields();
  std::string out;
  const auto add_line = [&](auto value) {
    for (const auto& entry : fields) out += (&entry == &fields.front() ? "" : ",") + value(entry);
    out += '\n';
  };
  add_line([](const Field& entry) { return entry.name; });
  const TargetFacts unknown;
  for (const auto& point : result.points) {
    const TargetFacts& target = point.target < result.targets.size() ? result.targets[point.target] : unknown;
    add_line([&](const Field& entry) { return entry.value({result, point, target}); });
    for (const auto& slice : point.slices)
      add_line([&](const Field& entry) { return entry.value({result, point, target, &slice}); });
  }
  return out;
}

}  // namespace infermeter
