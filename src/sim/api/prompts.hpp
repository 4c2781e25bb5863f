// The prompts of a body as tokens: from texts, token ids or conversations. Throws ApiProblem as
// json_fields.hpp says.
#pragma once

#include <string>
#include <vector>

#include "sim/api/json_fields.hpp"

namespace infermeter::sim {

/// `messages`, after the `system` text and the `tools`, if given.
std::vector<ChatMessage> messages_of(const Json& body);
/// `instructions`, `tools` and `input` of the Responses API.
std::vector<ChatMessage> input_messages_of(const Json& body);

/// Appends the value of the field `name` to the request's prompts: a text, a list of texts, token ids, or a
/// list of lists of them.
void read_texts(const Json& body, const char* name, ApiRequest& request);
/// Appends one prompt by the chat template.
void read_conversation(const std::vector<ChatMessage>& messages, ApiRequest& request);

}  // namespace infermeter::sim
