// Reads the JSON body of a request: its fields, and its prompts as tokens (from texts, token ids or
// conversations). An error names the field; inside the simulator's request parsing, a refused request is
// thrown as an ApiProblem and caught by parse_….
#pragma once

#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "sim/api/api_request.hpp"

namespace infermeter::sim {

using Json = nlohmann::json;

[[noreturn]] void refuse(std::string message, std::string param = {});

Json parse_object(std::string_view body);
/// The field, or null where it is missing or null.
const Json* field(const Json& object, const char* name);
bool flag(const Json& object, const char* name, bool fallback = false);
std::optional<std::uint32_t> whole_number(const Json& object, const char* name, std::uint32_t least,
                                          std::uint32_t most);
/// Empty where it is missing.
std::string text_field(const Json& object, const char* name);

/// `stream`, and its `stream_options`.
void read_stream(const Json& body, ApiRequest& request);
/// The limit of output tokens in the field `name`.
std::optional<std::uint32_t> limit_field(const Json& body, const char* name);
/// The limit, `min_tokens` and `ignore_eos`; without a limit an answer stops by itself.
void read_limits(const Json& body, std::optional<std::uint32_t> limit, ApiRequest& request);
/// `n`
void read_choices(const Json& body, ApiRequest& request);
/// The number of alternatives per log probability, from the field `name`.
std::optional<std::uint32_t> logprobs_field(const Json& body, const char* name);
/// The fields that turn reasoning on or off and set its effort, in any vendor's spelling.
void read_thinking(const Json& body, ApiRequest& request);

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
