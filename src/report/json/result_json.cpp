#include "infermeter/report/result_json.hpp"

#include "infermeter/model/figures.hpp"
#include "report/json/json_writer.hpp"

namespace infermeter {
namespace {

// Where the server does not count tokens, events were counted, and every figure based on them says so.
void say_token_source(const PointResult& point, Json& metrics) {
  if (!point.token_source) return;
  for (const auto& figure : known_figures()) {
    const std::string metric(figure.name);
    if (figure.of_tokens && metrics.contains(metric))
      metrics[metric]["token_source"] = std::string(name(*point.token_source));
  }
}

Json point_json(const PointResult& point, bool complete) {
  return json_object([&](JsonWriter& a) {
    a("point", point.point);
    a("target", point.target);
    a("load", point.load);
    if (complete || point.requests + point.warmup_requests > 0) result_fields::walk_measured(a, point);
  });
}

Json run_json(const RunResult& result) {
  Json run = json_object([&](JsonWriter& a) { result_fields::walk_run(a, result); });
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
  root["environment"] = json_object([&](JsonWriter& a) { result_fields::walk(a, result.environment); });
  JsonWriter top(root);
  top("targets", result.targets);
  root["workload"] = json_object([&](JsonWriter& a) { result_fields::walk(a, result.workload); });
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
  return json_text(root);
}

}  // namespace infermeter
