// Values → JSON by the walks of result_fields. Private to src/report.
#pragma once

#include <fmt/format.h>

#include <cmath>
#include <nlohmann/json.hpp>

#include "report/json/result_fields.hpp"
#include "report/media/media.hpp"

namespace infermeter {

using Json = nlohmann::ordered_json;

/// The writing archive: each call adds one key to `node`, in the order of the calls.
class JsonWriter {
 public:
  explicit JsonWriter(Json& node) : node_(node) {}

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
    JsonWriter writer(object);
    walk(writer);
    node_[key] = std::move(object);
  }

 private:
  static Json json_of(const std::string& text) { return text.empty() ? Json(nullptr) : Json(text); }
  // JSON has no NaN or infinity; a value that could not be computed is absent.
  static Json json_of(double value) { return std::isfinite(value) ? Json(value) : Json(nullptr); }
  template <Named E>
  static Json json_of(E value) {
    return std::string(name(value));
  }
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
  static Json json_of(const std::vector<std::pair<std::string, std::string>>& entries) {
    Json object = Json::object();
    for (const auto& [key, value] : entries) object[key] = value;
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
    JsonWriter writer(object);
    result_fields::walk(writer, value);
    return object;
  }

  Json& node_;
};

template <typename Walk>
Json json_object(Walk walk) {
  Json object = Json::object();
  JsonWriter writer(object);
  walk(writer);
  return object;
}

/// Invalid UTF-8 may come from servers' error texts; it must not make the whole file unreadable. JSON is
/// shown on terminals too: what acts there is an escape.
inline std::string json_text(const Json& json, int indent = 2) {
  return terminal_json(json.dump(indent, ' ', false, Json::error_handler_t::replace)) + "\n";
}

}  // namespace infermeter
