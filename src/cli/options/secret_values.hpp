// The key of a target, and the user's request headers. Both are secrets: no error repeats one.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "cli/options/config_sources.hpp"
#include "infermeter/model/plan.hpp"

namespace infermeter {

bool is_header_name(std::string_view name);
/// Compares case-insensitively; `lower` is in lower case.
bool same_header(std::string_view name, std::string_view lower);
/// The headers of `header`. Throws UsageError for an invalid header or one that the body determines.
std::vector<Header> headers_of(const Values& values);

/// The key from --api-key-file, or from the variable that --api-key-env names (OPENAI_API_KEY by default).
/// Empty if neither is set. Throws UsageError naming the source.
std::string api_key_of(const Values& values, const Variables& variables);

/// The value of a variable, or empty.
std::string variable(const Variables& variables, std::string_view name);

}  // namespace infermeter
