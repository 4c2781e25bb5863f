#include "infermeter/model/figures.hpp"
#include "report/formats/lines.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <functional>

namespace infermeter {
namespace {

/// The context of a row: a point, or one slice of it.
struct PointLine {
  const RunResult& run;
  const PointResult& point;
  const TargetFacts& target;
  const Slice* slice = nullptr;
  const Metric* find(std::string_view metric) const {
    return slice ? slice->find(metric) : point.find(metric);
  }
};

using PointField = Field<PointLine>;

template <typename Value>
PointField field(std::string name, Value value) {
  return field_of<PointLine>(std::move(name), std::move(value));
}

std::vector<PointField> run_fields() {
  return {field("run_id", [](const PointLine& c) { return c.run.run_id; }),
          field("start_utc", [](const PointLine& c) { return c.run.start_utc; }),
          field("tool_version", [](const PointLine& c) { return c.run.tool_version; }),
          field("target", [](const PointLine& c) { return c.target.name; }),
          field("url", [](const PointLine& c) { return c.target.url; }),
          field("model", [](const PointLine& c) { return c.target.model; }),
          field("point", [](const PointLine& c) { return c.point.point; }),
          field("slice_by", [](const PointLine& c) { return std::string(c.slice ? name(c.slice->by) : ""); }),
          field("slice", [](const PointLine& c) { return c.slice ? c.slice->name : std::string(); })};
}

template <typename T>
std::optional<T> only_if(bool condition, T value) {
  return condition ? std::optional<T>(value) : std::nullopt;
}

/// Columns that slices have too.
template <typename T>
T either(const PointLine& c, T PointResult::* of_point, T Slice::* of_slice) {
  return c.slice ? c.slice->*of_slice : c.point.*of_point;
}

/// Columns that only whole points have: blank in the row of a slice.
template <typename Value>
PointField point_field(std::string name, Value value) {
  return {std::move(name), [value = std::move(value)](const PointLine& c) {
            return c.slice ? LineCell{} : line_cell(value(c.point));
          }};
}

/// Requested lengths: the slice's class's, else the point's, else the workload's in the form that people
/// write.
std::string asked(const PointLine& c, std::uint32_t LoadPoint::* at_point, std::string Workload::* own) {
  if (c.slice && c.slice->by == SliceKind::traffic_class) {
    const auto it = std::ranges::find(c.run.classes, c.slice->name, &Workload::name);
    if (it != c.run.classes.end()) return (*it).*own;
  }
  const std::uint32_t tokens = c.point.load.*at_point;
  return tokens > 0 ? fmt::format("{}", tokens) : c.run.workload.*own;
}

std::vector<PointField> load_fields() {
  using C = const PointLine&;
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

std::vector<PointField> count_fields() {
  using C = const PointLine&;
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
          point_field("cache_write_tokens_sum", [](P p) { return p.cache_write_tokens; }),
          field("output_tokens_sum",
                [](C c) { return either(c, &PointResult::output_tokens, &Slice::output_tokens); }),
          point_field("reasoning_tokens_sum", [](P p) { return p.reasoning_tokens; }),
          point_field("comfort", [](P p) { return p.comfort; }),
          point_field("offered", [](P p) { return p.offered; }),
          point_field("served", [](P p) { return p.served; }),
          point_field("achieved_ratio", [](P p) { return p.achieved_ratio; }),
          point_field("late_share", [](P p) { return p.late_share; }),
          point_field("packed_share", [](P p) { return p.packed_share; })};
}

template <typename Whole, typename Part>
std::optional<Part> part_of(const std::optional<Whole>& whole, Part Whole::* part) {
  return whole ? std::optional<Part>((*whole).*part) : std::nullopt;
}

PointField slo_field(const std::string& name, double SloResult::* part) {
  return field(
      name, [part](const PointLine& c) { return part_of(either(c, &PointResult::slo, &Slice::slo), part); });
}

std::vector<PointField> outcome_fields() {
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

std::vector<PointField> slice_rate_fields() {
  using C = const PointLine&;
  return {
      field("slice_request_throughput",
            [](C c) { return c.slice ? std::optional<double>(c.slice->request_throughput) : std::nullopt; }),
      field("slice_output_throughput",
            [](C c) { return c.slice ? std::optional<double>(c.slice->output_throughput) : std::nullopt; })};
}

void add_rate_fields(std::vector<PointField>& fields, const std::string& prefix,
                     std::function<const Rates*(const PointLine&)> of) {
  const auto add = [&](const std::string& name, double Rates::* member) {
    fields.push_back(field(prefix + name, [of, member](const PointLine& c) {
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

PointField metric_field(const Figure& metric, const std::string& statistic,
                        std::function<LineCell(const Metric&)> value) {
  const std::string unit = metric.unit == FigureUnit::milliseconds ? "_ms" : "";
  return {fmt::format("{}{}_{}", metric.name, unit, statistic),
          [name = std::string(metric.name), value = std::move(value)](const PointLine& c) {
            const Metric* found = c.find(name);
            return found && found->count > 0 ? value(*found) : LineCell{};
          }};
}

void add_metric_fields(std::vector<PointField>& fields, const Figure& metric) {
  const auto add = [&](const std::string& statistic, auto member) {
    fields.push_back(
        metric_field(metric, statistic, [member](const Metric& m) { return line_cell(m.*member); }));
  };
  add("count", &Metric::count);
  add("mean", &Metric::mean);
  add("stddev", &Metric::stddev);
  add("min", &Metric::min);
  for (const double p : percentiles_of(metric)) {
    fields.push_back(metric_field(metric, fmt::format("p{}", p), [p](const Metric& m) {
      const Percentile* found = m.find(p);
      return found ? line_cell(found->value) : LineCell{};
    }));
  }
  add("max", &Metric::max);
}

/// Single values of points that have no column under their name yet, such as one of a single window.
void add_other_figures(std::vector<PointField>& fields) {
  const auto has = [&](const std::string& name) {
    return std::ranges::find(fields, name, &PointField::name) != fields.end();
  };
  for (const auto& figure : known_figures()) {
    const std::string name(figure.name);
    if (figure.is_distribution() || has(name) || has("whole_" + name)) continue;
    fields.push_back(
        point_field(name, [&figure](const PointResult& p) { return estimate_of(p, figure).value; }));
  }
}

std::vector<PointField> all_fields() {
  std::vector<PointField> fields = run_fields();
  for (auto* part : {load_fields, count_fields, outcome_fields, slice_rate_fields}) {
    for (auto& more : part()) fields.push_back(std::move(more));
  }
  add_rate_fields(fields, "steady_",
                  [](const PointLine& c) { return c.point.steady && !c.slice ? &*c.point.steady : nullptr; });
  add_rate_fields(fields, "whole_", [](const PointLine& c) { return c.slice ? nullptr : &c.point.whole; });
  add_other_figures(fields);
  for (const auto& shown : shown_figures(FigureOutput::csv)) add_metric_fields(fields, *shown.figure);
  return fields;
}

}  // namespace

std::string point_lines(const RunResult& result, const LineForm& form) {
  const std::vector<PointField> fields = all_fields();
  std::string out = head_line(fields, form);
  const TargetFacts unknown;
  for (const auto& point : result.points) {
    const TargetFacts& target = point.target < result.targets.size() ? result.targets[point.target] : unknown;
    add_line(fields, {result, point, target}, form, out);
    for (const auto& slice : point.slices) add_line(fields, {result, point, target, &slice}, form, out);
  }
  return out;
}

}  // namespace infermeter
