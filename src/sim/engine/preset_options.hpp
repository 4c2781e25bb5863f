// Parses `name:option=value,option=value`, the notation of presets, with a table of options.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/suggest.hpp"

namespace infermeter::sim {

/// Views into the text that was split.
struct PresetText {
  std::string_view name;
  std::vector<std::pair<std::string_view, std::string_view>> options;
};

/// Throws UsageError for an option without `=` or a value.
PresetText split_preset(std::string_view text);

/// One option of an engine kind; `set` throws UsageError that names option, value and rule.
template <typename Settings>
struct PresetOption {
  std::string_view name;
  std::string_view help;
  void (*set)(Settings& settings, std::string_view option, std::string_view value);
};

template <typename Settings>
void apply_options(const PresetText& text, std::span<const PresetOption<Settings>> known,
                   Settings& settings) {
  for (const auto& [name, value] : text.options) {
    const PresetOption<Settings>* found = nullptr;
    for (const auto& option : known) found = option.name == name ? &option : found;
    if (found != nullptr) {
      found->set(settings, name, value);
      continue;
    }
    std::vector<std::string> names;
    for (const auto& option : known) names.emplace_back(option.name);
    refuse_unknown("option of preset " + std::string(text.name), name, names);
  }
}

}  // namespace infermeter::sim
