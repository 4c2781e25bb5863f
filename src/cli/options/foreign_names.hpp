// Names that are not ours: aliases that work, names of keys, and the error for any other.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "cli/options/option_table.hpp"
#include "infermeter/base/errors.hpp"

namespace infermeter {

struct Alias {
  std::string_view name;        // without dashes
  std::string_view option;      // our option with the same meaning and values
  std::string_view value = {};  // a switch that gives the option this value
};

std::span<const Alias> aliases();
const Alias* find_alias(std::string_view name);

/// Whether a name takes a key as its value, which none of our options does: `api-key` and similar names.
bool asks_for_key(std::string_view name);
/// The error for such a name as it was written; never contains the value.
UsageError key_refusal(std::string_view shown);

/// The place where a name was written, which decides how names are shown.
enum class NameStyle { option, variable, file };
/// `--output-tokens`, `INFERMETER_OUTPUT_TOKENS`, `output-tokens`.
std::string written(NameStyle style, std::string_view name);

/// Whether the error for the unknown name has a hint or a nearest name.
bool resembles_known(NameStyle style, std::string_view name, std::span<const OptionSpec> specs);
/// The error for an unknown name, with a hint, the nearest known name, or neither. `shown` is the beginning
/// of the message: "unknown option --concurency"; `command` is the one whose help lists the options.
UsageError unknown_name(NameStyle style, std::string_view shown, std::string_view name,
                        std::span<const OptionSpec> specs, std::string_view command = "run");

}  // namespace infermeter
