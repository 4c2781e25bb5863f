// Keys and request headers, which are secrets: no error repeats one, and the command line is shown without
// them.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "cli/options/values.hpp"
#include "infermeter/model/plan.hpp"

namespace infermeter {

bool is_header_name(std::string_view name);
/// The headers of `header`. Throws UsageError for an invalid header or one that the body determines.
std::vector<Header> headers_of(const Values& values, std::string_view option = "header");

/// The key from --api-key-file, or from the variable that --api-key-env names (OPENAI_API_KEY by default).
/// Empty if neither is set. Throws UsageError naming the source.
std::string api_key_of(const Values& values, const Variables& variables);

/// Adds the values of variables such as HF_TOKEN, which the user's commands and their servers inherit.
void add_variables(const Variables& variables, std::vector<std::string>& secrets);

/// The value of a variable, or empty.
std::string variable(const Variables& variables, std::string_view name);

/// "infermeter run http://h --concurrency 8 --header 'X-Team: ****'": can be pasted into a shell.
std::string shown_command(const Invocation& invocation);

}  // namespace infermeter
