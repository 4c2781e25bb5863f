// Which part of a request an error answer refuses: fields that the server does not take, or a limit of tokens
// that is too small or too large for it. Pure; any thread.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string_view>

#include "protocol/http/outcome.hpp"

namespace infermeter {

/// Fills `out`'s refused fields and limit. `json`: the body, discarded if it is not JSON; `words`: its
/// message. A 500 refuses a field only where the message names one that the server's code does not know.
void read_refusal(int status, const nlohmann::json& json, std::string_view words, ErrorBody& out);

}  // namespace infermeter
