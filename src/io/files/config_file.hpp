// --config FILE.toml as flat option names and values, in the order of the file, and its blocks ([[target]],
// [quick]) likewise. The caller decides which names are valid.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace infermeter {

struct ConfigEntry {
  std::string name;  // "output-tokens"; `output_tokens` is equivalent
  std::vector<std::string>
      values;  // one, or several for an array; for a table or an array of tables, its JSON
  std::vector<std::pair<std::string, std::string>> fields;  // for a table without inner ones: keys as written
  bool is_table = false;                                    // or an array of tables
  int line = 0;
};

struct ConfigBlock {
  std::string kind;  // "target"
  std::vector<ConfigEntry> entries;
  int line = 0;
};

struct ConfigFile {
  std::vector<ConfigEntry> entries;  // at the top level
  std::vector<ConfigBlock> blocks;
};

/// A table of the top level (or each one of an array of tables) whose name is in `block_names` is a block;
/// any other is the value of an entry. Throws UsageError naming file, line and rule for invalid TOML or a
/// value that is not a string, number, boolean, table or array of these. `origin` is the option that names
/// the file.
ConfigFile read_config_file(const std::string& path, std::span<const std::string_view> block_names = {},
                            const std::string& origin = "--config");
/// The same for a text; `name` is used as the file name in messages.
ConfigFile parse_config_text(const std::string& name, std::string_view text,
                             std::span<const std::string_view> block_names = {});

}  // namespace infermeter
