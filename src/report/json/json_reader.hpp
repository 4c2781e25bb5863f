// JSON → values by the walks of result_fields; an error names its place. Private to
// src/report.
#pragma once

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <charconv>
#include <limits>
#include <nlohmann/json.hpp>

#include "base/json_tree.hpp"
#include "infermeter/base/errors.hpp"
#include "report/json/result_fields.hpp"

namespace infermeter {

using Json = nlohmann::ordered_json;

[[noreturn]] inline void refuse_json(const std::string& path, std::string_view rule) {
  throw EnvironmentError(fmt::format("not a result of infermeter: {} is not {}", path, rule));
}

/// The reading archive: a key that is missing or null leaves the member as it is; a value of the wrong kind
/// is refused with its place, such as `points[0].load.seed`.
class JsonReader {
 public:
  JsonReader(const Json& node, std::string path) : node_(node), path_(std::move(path)) {
    if (!node_.is_object()) refuse_json(path_.empty() ? "the file" : path_, "an object");
  }

  template <typename T>
  void operator()(const char* key, T& member) const {
    const auto it = node_.find(key);
    if (it == node_.end()) return;
    if (!it->is_null()) {
      read(*it, place(key), member);
    } else if constexpr (std::is_same_v<T, double>) {
      member = std::numeric_limits<double>::quiet_NaN();  // it was absent when written
    }
  }
  template <typename T>
  void unless_zero(const char* key, T& member) const {
    const auto it = node_.find(key);
    if (it != node_.end() && !it->is_null()) read(*it, place(key), member);
  }
  template <typename Walk>
  void group(const char* key, Walk walk) const {
    const auto it = node_.find(key);
    if (it == node_.end() || it->is_null()) return;
    JsonReader reader(*it, place(key));
    walk(reader);
  }

 private:
  std::string place(const char* key) const {
    return path_.empty() ? std::string(key) : fmt::format("{}.{}", path_, key);
  }

  static void read(const Json& json, const std::string& path, std::string& text) {
    if (!json.is_string()) refuse_json(path, "text");
    text = json.get<std::string>();
  }
  static void read(const Json& json, const std::string& path, bool& flag) {
    if (!json.is_boolean()) refuse_json(path, "true or false");
    flag = json.get<bool>();
  }
  static void read(const Json& json, const std::string& path, double& value) {
    if (!json.is_number()) refuse_json(path, "a number");
    value = json.get<double>();
  }
  template <typename T>
    requires std::unsigned_integral<T>
  static void read(const Json& json, const std::string& path, T& value) {
    if (!json.is_number_unsigned() || json.get<std::uint64_t>() > std::numeric_limits<T>::max())
      refuse_json(path, "a whole number in range");
    value = static_cast<T>(json.get<std::uint64_t>());
  }
  static void read(const Json& json, const std::string& path, int& value) {
    std::uint16_t status = 0;
    read(json, path, status);
    value = status;
  }
  template <Named E>
  static void read(const Json& json, const std::string& path, E& value) {
    const auto found = json.is_string() ? from_name<E>(json.get<std::string>()) : std::nullopt;
    if (!found) refuse_json(path, fmt::format("one of {}", fmt::join(kNamesOf<E>, ", ")));
    value = *found;
  }
  template <typename T>
  static void read(const Json& json, const std::string& path, std::optional<T>& value) {
    if (json.is_null()) return;  // in a list or by name: absent
    read(json, path, value.emplace());
  }
  template <typename T>
  static void read(const Json& json, const std::string& path,
                   std::vector<std::pair<std::string, T>>& entries) {
    each_entry(json, path, [&](const std::string& key, const Json& value, const std::string& place) {
      T& read_value = entries.emplace_back(key, T{}).second;
      if (!value.is_null()) read(value, place, read_value);  // as empty texts once were written
    });
  }
  static void read(const Json& json, const std::string& path, std::vector<Percentile>& percentiles) {
    each_entry(json, path, [&](const std::string& key, const Json& value, const std::string& place) {
      Percentile& p = percentiles.emplace_back();
      const char* end = key.data() + key.size();
      if (!key.starts_with('p') || std::from_chars(key.data() + 1, end, p.percentile).ptr != end)
        refuse_json(place, "a percentile such as p99");
      read(value, place, p);
    });
  }
  static void read(const Json& json, const std::string& path, std::vector<Metric>& metrics) {
    each_entry(json, path, [&](const std::string& key, const Json& value, const std::string& place) {
      Metric& metric = metrics.emplace_back();
      metric.name = key;
      read(value, place, metric);
    });
  }
  template <typename T>
  static void read(const Json& json, const std::string& path, std::vector<T>& values) {
    if (!json.is_array()) refuse_json(path, "a list");
    for (std::size_t i = 0; i < json.size(); ++i)
      read(json[i], fmt::format("{}[{}]", path, i), values.emplace_back());
  }
  template <typename T>
    requires std::is_class_v<T>
  static void read(const Json& json, const std::string& path, T& value) {
    JsonReader reader(json, path);
    result_fields::walk(reader, value);
  }
  static void read(const Json& json, const std::string& path, PointResult& point) {
    JsonReader reader(json, path);
    reader("point", point.point);
    reader("target", point.target);
    reader("load", point.load);
    result_fields::walk_measured(reader, point);
  }

  template <typename Visit>
  static void each_entry(const Json& json, const std::string& path, Visit visit) {
    if (!json.is_object()) refuse_json(path, "an object");
    for (const auto& [key, value] : json.items()) visit(key, value, fmt::format("{}.{}", path, key));
  }

  const Json& node_;
  std::string path_;
};

inline Json parse_json(std::string_view text) {
  if (is_too_deep(text)) throw EnvironmentError(too_deep_words(json_levels(text)));
  Json json = json_tree<Json>(text);
  if (json.is_discarded()) throw EnvironmentError("not JSON: " + json_error(text));
  return json;
}

inline void check_schema_version(const Json& root) {
  const auto it = root.find("schema_version");
  if (it == root.end() || !it->is_number_integer()) refuse_json("schema_version", "there");
  const auto version = it->get<std::int64_t>();
  if (version == kSchemaVersion) return;
  throw EnvironmentError(
      fmt::format("schema_version is {}, this infermeter reads {}", version, kSchemaVersion));
}

}  // namespace infermeter
