// A configuration file or scenario as options: what stands at its top, in its [quick] table and in its
// blocks.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "cli/options/block_keys.hpp"
#include "cli/options/values.hpp"
#include "io/files/config_file.hpp"

namespace infermeter {

struct Block {
  std::string where;  // "run.toml:3: [[target]]", for messages
  Values own;         // of own_keys
  Values options;     // of run_options
};

struct Source {
  std::string description;
  Values top, quick;  // of run_options
  bool has_quick = false;
  std::vector<Block> targets, classes;
};

Source empty_source();
/// Throws UsageError naming file, line, block and rule. A server's file of facts is one too: `verified` and
/// [facts] are left alone.
Source read_source(const std::string& path);
Source parse_source(const std::string& name, std::string_view text);

/// One option as it stands somewhere: a flag's opposite turned round, a list as its values.
Given given_as(const NamedOption& option, std::string origin, std::vector<std::string> texts);

}  // namespace infermeter
