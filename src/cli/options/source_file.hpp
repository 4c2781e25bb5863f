// A configuration file or scenario as options: its top level, its [quick] table and its blocks.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "cli/options/values.hpp"
#include "infermeter/model/plan.hpp"
#include "io/files/config_file.hpp"

namespace infermeter {

enum class BlockKind { target, traffic };
/// "target", "class": as in a file.
std::string_view name(BlockKind kind);

/// Keys that exist only in blocks, or have a different meaning there: `name`, `share`, a class's `rate`.
std::span<const OptionSpec> own_keys(BlockKind kind);
/// Whether an option of `run` may be set in a block, for one target or class.
bool stands_in(BlockKind kind, const OptionSpec& option);

struct Block {
  std::string where;  // "run.toml:3: [[target]]", for messages
  Values own;         // of own_keys
  Values options;     // of run_options
};

/// The facts about a vendor that a file's [facts] have and a run uses.
struct FileFacts {
  VendorFacts known;
  std::string url_example;  // of a vendor whose URL is the user's own
};

struct Source {
  std::string description;
  Values top, quick;  // of run_options
  bool has_quick = false;
  std::vector<Block> targets, classes;
  std::optional<FileFacts> facts;
};

Source empty_source();
/// Throws UsageError naming file, line, block and rule. Also reads a vendor's file: its `name` and `verified`
/// are no options. `origin` is the option that names the file.
Source read_source(const std::string& path, const std::string& origin = "--config");
Source parse_source(const std::string& name, std::string_view text);

/// One option of a file or variable: inverts the opposite of a flag, splits a list into its values.
Given given_as(const NamedOption& option, std::string origin, std::vector<std::string> texts);

}  // namespace infermeter
