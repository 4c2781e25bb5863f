// The conversations of chat, Responses and Messages bodies as messages for the chat template. Throws
// ApiProblem as json_fields.hpp says.
#pragma once

#include <string>
#include <vector>

#include "sim/api/json_fields.hpp"

namespace infermeter::sim {

/// `messages`, after the `system` text and the `tools` where there are some.
std::vector<ChatMessage> messages_of(const Json& body);
/// `instructions`, `tools` and `input` of the Responses API.
std::vector<ChatMessage> input_messages_of(const Json& body);

}  // namespace infermeter::sim
