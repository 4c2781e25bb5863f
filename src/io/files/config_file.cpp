#include "io/files/config_file.hpp"

#include <fmt/format.h>
#include <toml++/toml.h>

#include <algorithm>
#include <cmath>
#include <fstream>
#include <string>
#include <vector>

#include "base/nesting.hpp"
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

/// A TOML table is sorted by name; an object keeps the order in which the user wrote it.
std::vector<std::pair<std::string_view, const toml::node*>> in_order(const toml::table& table) {
  std::vector<std::pair<std::string_view, const toml::node*>> members;
  for (const auto& [key, node] : table) members.emplace_back(key.str(), &node);
  std::ranges::stable_sort(members, [](const auto& one, const auto& other) {
    const auto &a = one.second->source().begin, &b = other.second->source().begin;
    return a.line != b.line ? a.line < b.line : a.column < b.column;
  });
  return members;
}

std::string json_of(const std::string& path, const toml::node& node);

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

// On one line, with keys in the order of the file. Throws UsageError naming `path` and line for a date or a
// number that JSON does not allow.
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

using Names = std::span<const std::string_view>;

[[noreturn]] void refuse_config(const std::string& path, int line, std::string_view rule) {
  throw UsageError(fmt::format("{}:{}: {}", path, line, rule));
}

int line_of(const toml::node& node) { return static_cast<int>(node.source().begin.line); }

std::string dashed(std::string_view key) {
  std::string name(key);
  std::ranges::replace(name, '_', '-');
  return name;
}

std::optional<std::string> scalar_text(const toml::node& node) {
  if (const auto* text = node.as_string()) return text->get();
  if (const auto* whole = node.as_integer()) return fmt::format("{}", whole->get());
  if (const auto* real = node.as_floating_point()) return fmt::format("{}", real->get());
  if (const auto* truth = node.as_boolean()) return truth->get() ? "true" : "false";
  return std::nullopt;
}

bool holds_tables(const toml::array& array) {
  return std::ranges::any_of(array, [](const toml::node& item) { return item.is_table(); });
}

/// Empty if an inner value is not a scalar: such a table has only its JSON.
std::vector<std::pair<std::string, std::string>> fields_of(const toml::table& table) {
  std::vector<std::pair<std::string, std::string>> fields;
  for (const auto& [key, node] : table) {
    const auto text = scalar_text(node);
    if (!text) return {};
    fields.emplace_back(key.str(), *text);
  }
  return fields;
}

class Reader {
 public:
  Reader(const std::string& path, Names block_names) : path_(path), block_names_(block_names) {}

  ConfigFile read(const toml::table& root) const {
    ConfigFile file;
    for (const auto& [key, node] : root) {
      const std::string name = dashed(key.str());
      if (std::ranges::find(block_names_, name) == block_names_.end())
        file.entries.push_back(entry_of(key.str(), node));
      else
        add_blocks(name, node, file);
    }
    std::ranges::stable_sort(file.entries, {}, &ConfigEntry::line);  // a TOML table is sorted by name
    std::ranges::stable_sort(file.blocks, {}, &ConfigBlock::line);
    return file;
  }

 private:
  void add_blocks(const std::string& kind, const toml::node& node, ConfigFile& file) const {
    if (const auto* table = node.as_table()) {
      file.blocks.push_back(block_of(kind, *table));
    } else if (const auto* array = node.as_array(); array != nullptr && array->is_array_of_tables()) {
      for (const auto& item : *array) file.blocks.push_back(block_of(kind, *item.as_table()));
    } else {
      refuse_config(path_, line_of(node),
                    fmt::format("'{}' is a table: [{}], or [[{}]] for several", kind, kind, kind));
    }
  }

  ConfigBlock block_of(const std::string& kind, const toml::table& table) const {
    ConfigBlock block{.kind = kind, .entries = {}, .line = line_of(table)};
    for (const auto& [key, node] : table) block.entries.push_back(entry_of(key.str(), node));
    std::ranges::stable_sort(block.entries, {}, &ConfigEntry::line);
    return block;
  }

  ConfigEntry entry_of(std::string_view key, const toml::node& node) const {
    ConfigEntry entry;
    entry.name = dashed(key);
    entry.line = line_of(node);
    const auto* array = node.as_array();
    entry.is_table = node.is_table() || (array != nullptr && holds_tables(*array));
    if (entry.is_table) {
      entry.values.push_back(json_of(path_, node));
      if (const auto* table = node.as_table()) entry.fields = fields_of(*table);
    } else if (array != nullptr) {
      for (const auto& item : *array) entry.values.push_back(scalar(key, item));
    } else {
      entry.values.push_back(scalar(key, node));
    }
    return entry;
  }

  std::string scalar(std::string_view key, const toml::node& node) const {
    if (const auto text = scalar_text(node)) return *text;
    refuse_config(path_, line_of(node),
                  fmt::format("'{}' is no string, number, boolean or array of these", key));
  }

  const std::string& path_;
  Names block_names_;
};

}  // namespace

ConfigFile parse_config_text(const std::string& name, std::string_view text, Names block_names) {
  const TomlLevels found = toml_levels(text);
  if (found.levels > kMostLevels) refuse_config(name, found.line, too_deep_words(found.levels));
  try {
    return Reader(name, block_names).read(toml::parse(text, name));
  } catch (const toml::parse_error& error) {
    refuse_config(name, static_cast<int>(error.source().begin.line), error.description());
  }
}

ConfigFile read_config_file(const std::string& path, Names block_names, const std::string& origin) {
  std::ifstream file(path);
  file.peek();  // a folder opens without an error and fails here
  if (!file.is_open() || file.bad()) throw UsageError(fmt::format("{} {}: cannot be read", origin, path));
  file.clear();  // an empty file is at its end, which is not an error
  const std::string text{std::istreambuf_iterator<char>(file), {}};
  return parse_config_text(path, text, block_names);
}

}  // namespace infermeter
