// The key of a target, and request headers as people write them. Both are secrets: no error repeats one.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "cli/options/config_sources.hpp"
#include "infermeter/model/plan.hpp"

namespace infermeter {

bool is_header_name(std::string_view name);
/// Case does not count; `lower` is in lower case.
bool same_header(std::string_view name, std::string_view lower);
/// Those of `header`. Throws UsageError for one that is no header or that the body decides.
std::vector<Header> headers_of(const Values& values);

/// Of --api-key-file, or of the variable that --api-key-env names (OPENAI_API_KEY by default). Empty where
/// nothing asks for one. Throws UsageError naming the source.
std::string api_key_of(const Values& values, const Variables& variables);

/// The value of a variable, or empty.
std::string variable(const Variables& variables, std::string_view name);

}  // namespace infermeter
