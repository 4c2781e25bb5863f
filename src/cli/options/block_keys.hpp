// What may stand in the blocks of a configuration file: keys of their own, and which options of `run`.
#pragma once

#include <span>
#include <string_view>

#include "cli/options/option_table.hpp"

namespace infermeter {

enum class BlockKind { target, traffic };
/// "target", "class": as a file writes them.
std::string_view name(BlockKind kind);

/// Keys that mean something only there, or something of their own: `name`, `share`, a class's `rate`.
std::span<const OptionSpec> own_keys(BlockKind kind);
/// Whether an option of `run` may be said for one target or class alone.
bool stands_in(BlockKind kind, const OptionSpec& option);

}  // namespace infermeter
