#include "infermeter/report/result_json.hpp"

#include <fmt/format.h>

#include <cmath>
#include <nlohmann/json.hpp>

#include "result_fields.hpp"

namespace infermeter {
namespace {

using Json = nlohmann::ordered_json;

/// The writing archive: each call adds one key to `node`, in the order of the calls.
class Writer {
 public:
  explicit Writer(Json& node) : node_(node) {}

  template <typename T>
  void operator()(const char* key, const T& value) {
    node_[key] = json_of(value);
  }
  template <typename T>
  void unless_zero(const char* key, T value) {
    node_[key] = value == T{} ? Json(nullptr) : json_of(value);
  }
  template <typename Walk>
  void group(const char* key, Walk walk) {
    Json object = Json::object();
    Writer writer(object);
    walk(writer);
    node_[key] = std::move(object);
  }

 private:
  static Json json_of(const std::string& text) { return text.empty() ? Json(nullptr) : Json(text); }
  // JSON has no NaN or infinity; what could not be computed is absent.
  static Json json_of(double value) { return std::isfinite(value) ? Json(value) : Json(nullptr); }
  static Json json_of(Outcome outcome) { return std::string(name(outcome)); }
  static Json json_of(CheckState state) {
    return std::string(result_fields::kCheckStates[static_cast<std::size_t>(state)]);
  }
  static Json json_of(Comparison comparison) { return std::string(name(comparison)); }
  template <typename T>
    requires std::integral<T>
  static Json json_of(T value) {
    return value;
  }
  template <typename T>
  static Json json_of(const std::optional<T>& value) {
    return value ? json_of(*value) : Json(nullptr);
  }
  template <typename T>
  static Json json_of(const std::vector<std::pair<std::string, T>>& entries) {
    Json object = Json::object();
    for (const auto& [key, value] : entries) object[key] = json_of(value);
    return object;
  }
  static Json json_of(const std::vector<std::string>& texts) { return texts; }
  static Json json_of(const std::vector<Percentile>& percentiles) {
    Json object = Json::object();
    for (const auto& p : percentiles) object[fmt::format("p{}", p.percentile)] = json_of(p);
    return object;
  }
  static Json json_of(const std::vector<Metric>& metrics) {
    Json object = Json::object();
    for (const auto& metric : metrics) object[metric.name] = json_of(metric);
    return object;
  }
  template <typename T>
  static Json json_of(const std::vector<T>& values) {
    Json array = Json::array();
    for (const auto& value : values) array.push_back(json_of(value));
    return array;
  }
  template <typename T>
    requires std::is_class_v<T>
  static Json json_of(const T& value) {
    Json object = Json::object();
    Writer writer(object);
    result_fields::walk(writer, value);
    return object;
  }

  Json& node_;
};

template <typename Walk>
Json object_of(Walk walk) {
  Json object = Json::object();
  Writer writer(object);
  walk(writer);
  return object;
}

// Where no server counts tokens, what was counted are events, and every figure made of them says so.
void say_token_source(const PointResult& point, Json& metrics) {
  if (point.token_source.empty()) return;
  for (const char* counted : {"itl", "tpot", "tps"}) {
    if (metrics.contains(counted)) metrics[counted]["token_source"] = point.token_source;
  }
}

Json point_json(const PointResult& point, bool complete) {
  return object_of([&](Writer& a) {
    a("point", point.point);
    a("target", point.target);
    a("load", point.load);
    if (complete || point.requests + point.warmup_requests > 0) result_fields::walk_measured(a, point);
  });
}

Json run_json(const RunResult& result) {
  Json run = object_of([&](Writer& a) { result_fields::walk_run(a, result); });
  if (result.points.empty()) return run;
  const LoadPoint& first = result.points.front().load;
  run["seed"] = first.seed;
  run["schedule_hash"] = first.schedule_hash.empty() ? Json(nullptr) : Json(first.schedule_hash);
  return run;
}

void append_findings(const PointResult& point, Json& findings) {
  for (const auto& finding : point.findings) {
    findings.push_back(
        Json{{"id", finding.id}, {"point", point.point}, {"target", point.target}, {"text", finding.text}});
  }
}

}  // namespace

std::string result_to_json(const RunResult& result) {
  Json root = Json::object();
  root["schema_version"] = kSchemaVersion;
  root["tool"] = Json{{"name", "infermeter"}, {"version", result.tool_version}};
  root["run"] = run_json(result);
  root["environment"] = object_of([&](Writer& a) { result_fields::walk(a, result.environment); });
  Writer top(root);
  top("targets", result.targets);
  root["workload"] = object_of([&](Writer& a) { result_fields::walk(a, result.workload); });
  top("classes", result.classes);
  top("headline", result.headline);
  Json points = Json::array(), findings = Json::array();
  for (const auto& point : result.points) {
    Json json = point_json(point, result.complete);
    if (json.contains("metrics")) say_token_source(point, json["metrics"]);
    if (json.contains("slices")) {
      for (auto& slice : json["slices"]) say_token_source(point, slice["metrics"]);
    }
    points.push_back(std::move(json));
    append_findings(point, findings);
  }
  root["points"] = std::move(points);
  root["findings"] = std::move(findings);
  result_fields::walk_conclusions(top, result);
  // Bytes that are no UTF-8 come from servers' error texts; they must not make the whole file unreadable.
  return root.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

}  // namespace infermeter
