// Bodies as JSON: the one that a template is cut from, and those that strings alone cannot make. Private to
// this folder.
#pragma once

#include <string>

#include "protocol/request/body.hpp"
#include "protocol/request/json_object.hpp"

namespace infermeter {

/// A body with `prompt` where the messages go and `tokens` wherever the number of output tokens stands.
Json body_around(const RequestShape& shape, const std::string& prompt, const Json& tokens);

/// `plain` is the body of the request's messages; what else it has is laid over it. `takes_prompt` false: the
/// messages are those of the extra body, and stay.
std::string special_body(const RequestShape& shape, const Request& request, const std::string& plain,
                         bool takes_prompt);

}  // namespace infermeter
