// Request headers as people write them. Their values are secrets: no error repeats one.
#pragma once

#include <string_view>
#include <vector>

#include "cli/options/values.hpp"
#include "infermeter/model/plan.hpp"

namespace infermeter {

bool is_header_name(std::string_view name);
/// Case does not count; `lower` is in lower case.
bool same_header(std::string_view name, std::string_view lower);
/// Those of `header`. Throws UsageError for one that is no header or that the body decides.
std::vector<Header> headers_of(const Values& values);

}  // namespace infermeter
