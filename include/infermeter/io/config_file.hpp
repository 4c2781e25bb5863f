// --config FILE.toml as flat option names and values, in the order of the file.
#pragma once

#include <string>
#include <vector>

namespace infermeter {

struct ConfigEntry {
  std::string name;                 // "output-tokens"; `output_tokens` is taken for the same
  std::vector<std::string> values;  // one, or several for an array
  int line = 0;
};

/// Throws UsageError naming file, line and rule for bad TOML or a value that is no string, number, boolean or
/// array.
std::vector<ConfigEntry> read_config_file(const std::string& path);

}  // namespace infermeter
