#include "infermeter/report/result_json.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "infermeter/model/figures.hpp"
#include "report/json/json_reader.hpp"
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

struct PlacedFinding {
  std::uint32_t point = 0, target = 0;
  Finding finding;
};

PlacedFinding read_finding(const Json& json, std::size_t index) {
  PlacedFinding placed;
  const JsonReader reader(json, fmt::format("findings[{}]", index));
  reader("id", placed.finding.id);
  reader("text", placed.finding.text);
  reader("point", placed.point);
  reader("target", placed.target);
  return placed;
}

// In the file findings stand beside the points, where a reader sees them at once; in the model they belong to
// the points.
void read_findings(const Json& root, std::vector<PointResult>& points) {
  const auto it = root.find("findings");
  if (it == root.end()) return;
  if (!it->is_array()) refuse_json("findings", "a list");
  for (std::size_t i = 0; i < it->size(); ++i) {
    PlacedFinding placed = read_finding((*it)[i], i);
    const auto point = std::ranges::find_if(
        points, [&](const auto& p) { return p.point == placed.point && p.target == placed.target; });
    if (point != points.end()) point->findings.push_back(std::move(placed.finding));
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

RunResult result_from_json(std::string_view text) {
  const Json root = parse_json(text);
  const JsonReader reader(root, "");
  check_schema_version(root);
  RunResult result;
  reader.group("tool", [&](const JsonReader& r) { r("version", result.tool_version); });
  reader.group("run", [&](const JsonReader& r) { result_fields::walk_run(r, result); });
  reader("environment", result.environment);
  reader("targets", result.targets);
  reader("workload", result.workload);
  reader("classes", result.classes);
  reader("headline", result.headline);
  if (!root.contains("points")) refuse_json("points", "there");
  reader("points", result.points);
  read_findings(root, result.points);
  result_fields::walk_conclusions(reader, result);
  return result;
}

std::string verdict_to_json(const Verdict& verdict) {
  Json root = Json::object();
  root["schema_version"] = kSchemaVersion;
  JsonWriter writer(root);
  result_fields::walk(writer, verdict);
  return json_text(root);
}

Verdict verdict_from_json(std::string_view text) {
  const Json root = parse_json(text);
  const JsonReader reader(root, "");
  check_schema_version(root);
  if (!root.contains("decision")) refuse_json("decision", "there");
  Verdict verdict;
  result_fields::walk(reader, verdict);
  return verdict;
}

}  // namespace infermeter
