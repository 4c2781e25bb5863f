// Help pages, made of the option tables.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "cli/options/options.hpp"

namespace infermeter {

using NamedLines = std::vector<std::pair<std::string, std::string>>;

/// At most 80 columns. `presets` and `faults` of the simulator stand in its page.
std::string help_text(HelpTopic topic, const NamedLines& presets, const NamedLines& faults);

}  // namespace infermeter
