#include <cmath>
#include <nlohmann/json.hpp>

#include "infermeter/report/formats.hpp"

namespace infermeter {
namespace {

using Json = nlohmann::ordered_json;

/// Three digits more than a table shows: figures are exact to the microsecond, changes as precise as their
/// data.
Json number(const std::optional<double>& value) {
  return value && std::isfinite(*value) ? Json(*value) : Json(nullptr);
}

Json result_json(const ComparedResult& result) {
  return {{"name", result.name},
          {"source", result.source.empty() ? "infermeter" : result.source},
          {"model", result.model},
          {"start", result.start},
          {"trustworthy", result.trustworthy},
          {"partial", result.partial},
          {"requests", result.requests},
          {"failed", result.failed},
          {"doubts", result.doubts},
          {"differences_of_kind", result.differences_of_kind}};
}

Json facts_json(const std::vector<ComparedFact>& facts) {
  Json out = Json::object();
  for (const auto& fact : facts) out[fact.name] = fact.values;
  return out;
}

Json load_json(const std::optional<LoadPoint>& load) {
  if (!load) return nullptr;
  Json out{{"arrival", name(load->arrival)}};
  if (load->open_loop)
    out["rate"] = load->rate;
  else
    out["concurrency"] = load->concurrency;
  if (!load->stages.empty()) out["stages"] = load->stages;
  if (!load->shape.empty()) out["shape"] = load->shape;
  return out;
}

Json cell_json(const ComparedCell& cell, bool reference) {
  Json out{{"value", number(cell.value)}, {"low", number(cell.low)}, {"high", number(cell.high)}};
  if (reference && !cell.reason.empty()) out["reason"] = cell.reason;
  if (reference) return out;
  out["change"] = number(cell.change);
  out["change_low"] = number(cell.change_low);
  out["change_high"] = number(cell.change_high);
  out["word"] = name(cell.word);
  if (!cell.reason.empty()) out["reason"] = cell.reason;
  return out;
}

Json row_json(const ComparedRow& row) {
  Json out{{"metric", row.metric},
           {"statistic", row.statistic},
           {"unit", row.unit},
           {"more_is_better", row.more_is_better},
           {"change_is", row.absolute ? "difference" : "ratio"},
           {"margin", row.margin},
           {"results", Json::array()}};
  for (const auto& cell : row.cells) out["results"].push_back(cell_json(cell, &cell == &row.cells.front()));
  return out;
}

Json compared_point_json(const ComparedPoint& point) {
  Json out{{"target", point.target}, {"loads", Json::array()}, {"runs", point.runs}, {"rows", Json::array()}};
  for (const auto& load : point.loads) out["loads"].push_back(load_json(load));
  for (const auto& row : point.rows) out["rows"].push_back(row_json(row));
  return out;
}

}  // namespace

std::string side_by_side_to_json(const SideBySide& compared) {
  Json out{{"schema_version", kSchemaVersion},
           {"results", Json::array()},
           {"surroundings", facts_json(compared.surroundings)},
           {"traffic", facts_json(compared.traffic)},
           {"points", Json::array()},
           {"unmatched", Json::array()}};
  for (const auto& result : compared.results) out["results"].push_back(result_json(result));
  for (const auto& point : compared.points) out["points"].push_back(compared_point_json(point));
  for (const auto& point : compared.unmatched) out["unmatched"].push_back(compared_point_json(point));
  return out.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

}  // namespace infermeter
