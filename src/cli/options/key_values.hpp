// Where the key of a target comes from: a variable or a file. No error repeats it.
#pragma once

#include <string>

#include "cli/options/config_sources.hpp"

namespace infermeter {

/// Of --api-key-file, or of the variable that --api-key-env names (OPENAI_API_KEY unless it says otherwise).
/// Empty where nothing asks for one. Throws UsageError naming the source.
std::string api_key_of(const Values& values, const Variables& variables);

/// The value of a variable, or empty.
std::string variable(const Variables& variables, std::string_view name);

}  // namespace infermeter
