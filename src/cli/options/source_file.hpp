// A configuration file or scenario as options: what stands at its top, in its [quick] table and in its
// blocks.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "cli/options/values.hpp"
#include "io/files/config_file.hpp"

namespace infermeter {

enum class BlockKind { target, traffic };
/// "target", "class": as a file writes them.
std::string_view name(BlockKind kind);

/// Keys that mean something only there, or something of their own: `name`, `share`, a class's `rate`.
std::span<const OptionSpec> own_keys(BlockKind kind);
/// Whether an option of `run` may stand in a block, for one target or class.
bool stands_in(BlockKind kind, const OptionSpec& option);

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

/// One option of a file or variable: the opposite of a flag inverted, a list as its values.
Given given_as(const NamedOption& option, std::string origin, std::vector<std::string> texts);

}  // namespace infermeter
