#include "io/files/toml_json.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "infermeter/base/errors.hpp"

namespace infermeter {
namespace {

std::string json_quoted(std::string_view text) {
  std::string out = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\')
      out += {'\\', c};
    else if (static_cast<unsigned char>(c) < 0x20)
      out += fmt::format("\\u{:04x}", static_cast<int>(c));
    else
      out += c;
  }
  return out + '"';
}

/// A TOML table is sorted by name; a body reads as the user wrote it.
std::vector<std::pair<std::string_view, const toml::node*>> in_order(const toml::table& table) {
  std::vector<std::pair<std::string_view, const toml::node*>> members;
  for (const auto& [key, node] : table) members.emplace_back(key.str(), &node);
  std::ranges::stable_sort(members, [](const auto& one, const auto& other) {
    const auto &a = one.second->source().begin, &b = other.second->source().begin;
    return a.line != b.line ? a.line < b.line : a.column < b.column;
  });
  return members;
}

std::string object_of(const std::string& path, const toml::table& table) {
  std::string out = "{";
  for (const auto& [key, node] : in_order(table))
    out += fmt::format("{}{}:{}", out.size() > 1 ? "," : "", json_quoted(key), json_of(path, *node));
  return out + "}";
}

std::string array_of(const std::string& path, const toml::array& array) {
  std::string out = "[";
  for (const auto& item : array) out += (out.size() > 1 ? "," : "") + json_of(path, item);
  return out + "]";
}

}  // namespace

std::string json_of(const std::string& path, const toml::node& node) {
  if (const auto* table = node.as_table()) return object_of(path, *table);
  if (const auto* array = node.as_array()) return array_of(path, *array);
  if (const auto* text = node.as_string()) return json_quoted(text->get());
  if (const auto* whole = node.as_integer()) return fmt::format("{}", whole->get());
  if (const auto* truth = node.as_boolean()) return truth->get() ? "true" : "false";
  const auto* real = node.as_floating_point();
  if (real != nullptr && std::isfinite(real->get())) return fmt::format("{}", real->get());
  throw UsageError(fmt::format("{}:{}: a value here is no string, number, boolean, table or array", path,
                               node.source().begin.line));
}

}  // namespace infermeter
