// A file that an option names, read whole.
#pragma once

#include <string>
#include <string_view>

#include "cli/options/values.hpp"

namespace infermeter {

/// Throws UsageError naming option and file where it cannot be read.
std::string read_text_file(const Values& values, std::string_view option);

}  // namespace infermeter
