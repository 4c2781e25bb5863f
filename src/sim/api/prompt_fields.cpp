#include "sim/api/prompt_fields.hpp"

#include <fmt/format.h>

#include "sim/api/message_fields.hpp"

namespace infermeter::sim {
namespace {

bool all_numbers(const Json& list) {
  for (const auto& item : list) {
    if (!item.is_number_unsigned()) return false;
  }
  return !list.empty();
}

Tokens token_ids(const Json& list) {
  Tokens tokens;
  for (const auto& item : list) tokens.push_back(static_cast<std::uint32_t>(item.get<std::uint64_t>()));
  return tokens;
}

void read_one(const Json& prompt, const char* name, ApiRequest& request) {
  if (prompt.is_string()) {
    const auto& text = prompt.get_ref<const std::string&>();
    request.texts.push_back(text);
    request.prompts.push_back(tokenize_prompt(text));
  } else if (prompt.is_array() && all_numbers(prompt)) {
    request.texts.emplace_back();
    request.prompts.push_back(token_ids(prompt));
  } else {
    refuse(fmt::format("{} must be a string, a list of strings, token ids, or a list of lists of token ids",
                       name),
           name);
  }
}

void read_texts(const Json& body, const char* name, ApiRequest& request) {
  const auto prompt = body.find(name);
  if (prompt == body.end()) refuse(fmt::format("{} is required", name), name);
  if (prompt->is_array() && !all_numbers(*prompt)) {
    for (const auto& one : *prompt) read_one(one, name, request);
  } else {
    read_one(*prompt, name, request);
  }
  if (request.prompts.empty()) refuse(fmt::format("{} must not be empty", name), name);
}

void read_conversation(const std::vector<ChatMessage>& messages, ApiRequest& request) {
  std::string& text = request.texts.emplace_back();
  for (const auto& message : messages) {
    if (!text.empty()) text += '\n';
    text += message.content;
  }
  request.prompts.push_back(tokenize_chat(messages));
}

}  // namespace

void read_prompts(const Json& body, ApiRequest& request) {
  switch (request.endpoint) {
    case Endpoint::completions:
    case Endpoint::embeddings:
      return read_texts(body, prompt_field(request.endpoint), request);
    case Endpoint::responses:
      return read_conversation(input_messages_of(body), request);
    case Endpoint::chat:
    case Endpoint::messages:
      return read_conversation(messages_of(body), request);
  }
}

const char* prompt_field(Endpoint endpoint) {
  switch (endpoint) {
    case Endpoint::completions:
      return "prompt";
    case Endpoint::embeddings:
    case Endpoint::responses:
      return "input";
    case Endpoint::chat:
    case Endpoint::messages:
      break;
  }
  return "messages";
}

}  // namespace infermeter::sim
