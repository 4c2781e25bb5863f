#include "infermeter/io/config_file.hpp"

#include <fmt/format.h>
#include <toml++/toml.h>

#include <algorithm>
#include <fstream>

#include "infermeter/base/errors.hpp"

namespace infermeter {
namespace {

[[noreturn]] void refuse(const std::string& path, int line, std::string_view rule) {
  throw UsageError(fmt::format("{}:{}: {}", path, line, rule));
}

int line_of(const toml::node& node) { return static_cast<int>(node.source().begin.line); }

std::string scalar_text(const std::string& path, std::string_view name, const toml::node& node) {
  if (const auto* text = node.as_string()) return text->get();
  if (const auto* whole = node.as_integer()) return fmt::format("{}", whole->get());
  if (const auto* real = node.as_floating_point()) return fmt::format("{}", real->get());
  if (const auto* truth = node.as_boolean()) return truth->get() ? "true" : "false";
  const auto rule = node.is_table() ? "is a table; every option stands at the top level, outside [tables]"
                                    : "is no string, number, boolean or array of these";
  refuse(path, line_of(node), fmt::format("'{}' {}", name, rule));
}

ConfigEntry entry_of(const std::string& path, std::string_view key, const toml::node& node) {
  ConfigEntry entry;
  entry.name = key;
  std::ranges::replace(entry.name, '_', '-');
  entry.line = line_of(node);
  if (const auto* array = node.as_array()) {
    for (const auto& item : *array) entry.values.push_back(scalar_text(path, key, item));
  } else {
    entry.values.push_back(scalar_text(path, key, node));
  }
  return entry;
}

toml::table parse(const std::string& path) {
  std::ifstream file(path);
  file.peek();  // a folder opens well and fails here
  if (!file.is_open() || file.bad()) throw UsageError(fmt::format("--config {}: cannot be read", path));
  file.clear();  // an empty file is at its end, which is no error
  try {
    return toml::parse(file, path);
  } catch (const toml::parse_error& error) {
    refuse(path, static_cast<int>(error.source().begin.line), error.description());
  }
}

}  // namespace

std::vector<ConfigEntry> read_config_file(const std::string& path) {
  std::vector<ConfigEntry> entries;
  for (const auto& [key, node] : parse(path)) entries.push_back(entry_of(path, key.str(), node));
  std::ranges::stable_sort(entries, {}, &ConfigEntry::line);  // a TOML table is sorted by name
  return entries;
}

}  // namespace infermeter
