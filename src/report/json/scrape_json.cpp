#include "report/json/scrape_json.hpp"

#include <cmath>
#include <limits>

#include "report/json/json_reader.hpp"
#include "report/json/json_writer.hpp"

namespace infermeter {
namespace {

// Edges and counts stand in two lists; that of +Inf, which JSON does not have, is null.
Json json_of_histogram(const ServerHistogram& histogram) {
  Json edges = Json::array(), counts = Json::array();
  for (const auto& [edge, count] : histogram.buckets) {
    edges.push_back(std::isfinite(edge) ? Json(edge) : Json(nullptr));
    counts.push_back(count);
  }
  return {{"sum", histogram.sum}, {"count", histogram.count}, {"le", edges}, {"cumulative", counts}};
}

double number_at(const Json& object, const char* key) {
  const auto it = object.find(key);
  if (it == object.end() || !it->is_number()) refuse_json(key, "a number");
  return it->get<double>();
}

const Json& list_at(const Json& object, const char* key) {
  const auto it = object.find(key);
  if (it == object.end() || !it->is_array()) refuse_json(key, "a list");
  return *it;
}

ServerHistogram histogram_of(const Json& json) {
  if (!json.is_object()) refuse_json("times", "an object of histograms");
  ServerHistogram out{.sum = number_at(json, "sum"), .count = number_at(json, "count"), .buckets = {}};
  const Json& edges = list_at(json, "le");
  const Json& counts = list_at(json, "cumulative");
  if (edges.size() != counts.size()) refuse_json("le", "as long as cumulative");
  for (std::size_t i = 0; i < edges.size(); ++i) {
    if (!counts[i].is_number() || !(edges[i].is_null() || edges[i].is_number()))
      refuse_json("le", "a list of numbers");
    const double edge = edges[i].is_null() ? std::numeric_limits<double>::infinity() : edges[i].get<double>();
    out.buckets.emplace_back(edge, counts[i].get<double>());
  }
  return out;
}

Json json_of_values(const ServerValues<double>& values) {
  Json object = Json::object();
  for (const auto& [name, value] : values) object[name] = value;
  return object;
}

template <typename Read>
void each_value(const Json& root, const char* key, Read read) {
  const auto it = root.find(key);
  if (it == root.end()) return;
  if (!it->is_object()) refuse_json(key, "an object");
  for (const auto& [name, value] : it->items()) read(name, value);
}

ServerValues<double> values_at(const Json& root, const char* key) {
  ServerValues<double> out;
  each_value(root, key, [&](const std::string& name, const Json& value) {
    if (!value.is_number()) refuse_json(key, "an object of numbers");
    out.emplace_back(name, value.get<double>());
  });
  return out;
}

std::string one_line(const Json& json) {
  return terminal_json(json.dump(-1, ' ', false, Json::error_handler_t::replace));
}

}  // namespace

std::string scrape_line(const Scrape& scrape) {
  Json json{{"target", scrape.target}, {"at_us", scrape.at_us}, {"page", scrape.page}};
  if (!scrape.problem.empty()) json["problem"] = scrape.problem;
  if (!scrape.problem.empty()) return one_line(json);
  json["from"] = scrape.from;
  if (scrape.process_start_s) json["process_start_s"] = *scrape.process_start_s;
  json["gauges"] = json_of_values(scrape.gauges);
  json["counters"] = json_of_values(scrape.counters);
  json["times"] = Json::object();
  for (const auto& [name, histogram] : scrape.times) json["times"][name] = json_of_histogram(histogram);
  return one_line(json);
}

Scrape scrape_of_line(std::string_view line) {
  const Json json = parse_json(line);
  if (!json.is_object()) refuse_json("the line", "an object");
  Scrape out;
  out.target = static_cast<std::uint32_t>(number_at(json, "target"));
  out.at_us = static_cast<std::int64_t>(number_at(json, "at_us"));
  const auto text = [&](const char* key) {
    const auto it = json.find(key);
    if (it == json.end() || !it->is_string()) refuse_json(key, "text");
    return it->get<std::string>();
  };
  out.page = text("page");
  if (json.contains("problem")) {
    out.problem = text("problem");
    return out;
  }
  out.from = text("from");
  if (json.contains("process_start_s")) out.process_start_s = number_at(json, "process_start_s");
  out.gauges = values_at(json, "gauges");
  out.counters = values_at(json, "counters");
  each_value(json, "times", [&](const std::string& name, const Json& value) {
    out.times.emplace_back(name, histogram_of(value));
  });
  return out;
}

}  // namespace infermeter
