#include <fmt/format.h>

#include <algorithm>

#include "infermeter/report/result_json.hpp"
#include "report/json/json_reader.hpp"

namespace infermeter {
namespace {

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

}  // namespace infermeter
