// Option names of other tools: aliases that work, and hints that name ours.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "cli/options/option_table.hpp"
#include "infermeter/base/errors.hpp"

namespace infermeter {

struct Alias {
  std::string_view name;    // without dashes
  std::string_view option;  // ours, of the same meaning and the same values
};

std::span<const Alias> aliases();
const Alias* find_alias(std::string_view name);

/// What to use here instead of another tool's option; `name` without dashes.
std::optional<std::string_view> foreign_hint(std::string_view name);

/// Whether a name asks for a key by value, which no option does: `api-key` and its relatives.
bool asks_for_key(std::string_view name);
/// The refusal for such a name as it was written; never holds the value.
UsageError key_refusal(std::string_view shown);

/// Where a name was written, which decides how names are shown.
enum class NameStyle { option, variable, file };
/// `--output-tokens`, `INFERMETER_OUTPUT_TOKENS`, `output-tokens`.
std::string written(NameStyle style, std::string_view name);

/// The error for a name that is no option, with a hint, the nearest known name, or neither. `shown` is what
/// stands in front: "unknown option --concurency".
UsageError unknown_name(NameStyle style, std::string_view shown, std::string_view name,
                        std::span<const OptionSpec> specs);

}  // namespace infermeter
