#include "sim/api/request_body.hpp"

#include <fmt/format.h>

#include <array>
#include <utility>

#include "base/json_tree.hpp"
#include "sim/api/tokenizer.hpp"

namespace infermeter::sim {
namespace {

constexpr std::uint32_t kChoicesLimit = 128;
constexpr std::uint32_t kMostTokens = 1U << 30U;
constexpr std::uint32_t kMostLogprobs = 20;      // OpenAI's limit
constexpr std::uint32_t kUnlimitedTokens = 256;  // an answer without a limit "stops" at this length

void read_stream_options(const Json& body, ApiRequest& request) {
  const Json* options = field(body, "stream_options");
  if (options == nullptr) return;
  if (!request.stream) refuse("stream_options are only known with stream true", "stream_options");
  if (!options->is_object()) refuse("stream_options must be an object", "stream_options");
  request.include_usage = flag(*options, "include_usage");
  request.continuous_usage = request.include_usage && flag(*options, "continuous_usage_stats");
  for (const auto& [name, value] : options->items()) request.fields.push_back(name);
}

Thinking thinking(const Json& object, const char* name) {
  const Json* found = field(object, name);
  if (found == nullptr || !found->is_boolean()) return Thinking::unsaid;
  return found->get<bool>() ? Thinking::on : Thinking::off;
}

// {"type": "enabled", …} or {"type": "disabled"}, as Anthropic, Z.ai and others have it.
Thinking typed_thinking(const Json& body) {
  const Json* found = field(body, "thinking");
  if (found == nullptr || !found->is_object()) return Thinking::unsaid;
  return text_field(*found, "type") == "disabled" ? Thinking::off : Thinking::on;
}

Thinking thinking_of(const Json& body) {
  Thinking said = typed_thinking(body);
  if (said == Thinking::unsaid) said = thinking(body, "enable_thinking");
  const Json* kwargs = field(body, "chat_template_kwargs");
  if (kwargs != nullptr && kwargs->is_object()) {
    for (const char* name : {"enable_thinking", "thinking"}) {
      if (said == Thinking::unsaid) said = thinking(*kwargs, name);
    }
  }
  const Json* reasoning = field(body, "reasoning");
  if (said == Thinking::unsaid && reasoning != nullptr && reasoning->is_object())
    said = thinking(*reasoning, "enabled");
  return said;
}

void read_effort(const std::string& effort, const char* name, ApiRequest& request) {
  constexpr std::array<std::pair<std::string_view, double>, 6> kEfforts{
      {{"none", 0}, {"minimal", 0.25}, {"low", 0.5}, {"medium", 1}, {"high", 1.5}, {"xhigh", 2}}};
  if (effort.empty()) return;
  for (const auto& [known, times] : kEfforts) {
    if (known != effort) continue;
    request.reasoning_effort = times;
    if (times == 0) request.thinking = Thinking::off;
    return;
  }
  refuse(fmt::format("{} must be none, minimal, low, medium, high or xhigh", name), name);
}

void append_text(std::string_view text, ChatMessage& out) {
  if (!out.content.empty()) out.content += '\n';
  out.content += text;
}

void append_image(std::optional<Tokens> tokens, const char* param, ChatMessage& out) {
  if (!tokens) refuse("an image is neither a URL nor a PNG, JPEG or GIF in base64", param);
  out.images.insert(out.images.end(), tokens->begin(), tokens->end());
}

// OpenAI's {"url": …} or the URL itself; Anthropic's {"type": "base64", "data": …} or {"url": …}.
void read_image(const Json& image, const char* param, ChatMessage& out) {
  if (image.is_string()) return append_image(image_tokens_of_url(image.get<std::string>()), param, out);
  if (!image.is_object()) refuse("an image must be a URL or an object", param);
  if (const std::string data = text_field(image, "data"); !data.empty())
    return append_image(image_tokens_of_base64(data), param, out);
  append_image(image_tokens_of_url(text_field(image, "url")), param, out);
}

void read_content(const Json& content, const char* param, ChatMessage& out);

// Text under one of the vendors' names, an image, or a tool call or result as its JSON.
void read_part(const Json& part, const char* param, ChatMessage& out) {
  if (!part.is_object()) refuse("a part of content must be an object", param);
  for (const char* name : {"image_url", "source"}) {
    if (const Json* image = field(part, name)) return read_image(*image, param, out);
  }
  for (const char* name : {"text", "thinking", "refusal", "arguments"}) {
    const Json* text = field(part, name);
    if (text != nullptr && text->is_string()) return append_text(text->get_ref<const std::string&>(), out);
  }
  if (const Json* input = field(part, "input")) return append_text(input->dump(), out);
  for (const char* name : {"content", "output"}) {
    if (const Json* nested = field(part, name)) return read_content(*nested, param, out);
  }
  if (text_field(part, "type") == "tool_result") return;
  refuse("a part of content has neither text nor an image", param);
}

void read_content(const Json& content, const char* param, ChatMessage& out) {
  if (content.is_null()) return;
  if (content.is_string()) return append_text(content.get_ref<const std::string&>(), out);
  if (!content.is_array()) refuse("content must be a string or a list of parts", param);
  for (const auto& part : content) read_part(part, param, out);
}

ChatMessage read_message(const Json& message) {
  const bool has_role = message.is_object() && message.contains("role") && message["role"].is_string();
  if (!has_role) refuse("a message needs a role", "messages");
  ChatMessage out{message["role"].get<std::string>(), {}, {}};
  if (const Json* content = field(message, "content")) read_content(*content, "messages", out);
  if (const Json* calls = field(message, "tool_calls")) append_text(calls->dump(), out);
  return out;
}

// Items without a role are function calls, their outputs, or reasoning.
ChatMessage read_item(const Json& item) {
  if (!item.is_object()) refuse("an item of input must be an object", "input");
  ChatMessage out{text_field(item, "role"), {}, {}};
  if (out.role.empty()) {
    const std::string type = text_field(item, "type");
    out.role = type == "function_call_output" ? "tool" : "assistant";
    if (type == "reasoning") return out;
    read_part(item, "input", out);
  } else if (const Json* content = field(item, "content")) {
    read_content(*content, "input", out);
  }
  return out;
}

void add_tools(const Json& body, std::vector<ChatMessage>& messages) {
  const Json* tools = field(body, "tools");
  if (tools == nullptr) return;
  if (!tools->is_array()) refuse("tools must be a list", "tools");
  if (tools->empty()) return;
  messages.push_back({"tools", tools->dump(), {}});
}

void add_system(const Json& body, const char* name, std::vector<ChatMessage>& messages) {
  const Json* system = field(body, name);
  if (system == nullptr) return;
  ChatMessage message{"system", {}, {}};
  read_content(*system, name, message);
  messages.push_back(std::move(message));
}

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

}  // namespace

void refuse(std::string message, std::string param) {
  throw ApiProblem{400, std::move(message), "BadRequestError", std::move(param)};
}

Json parse_object(std::string_view body) {
  if (is_too_deep(body)) refuse("the body is " + too_deep_words(json_levels(body)));
  Json json = json_tree<Json>(body);
  if (json.is_discarded()) refuse("the body is not JSON");
  if (!json.is_object()) refuse("the body is not a JSON object");
  return json;
}

const Json* field(const Json& object, const char* name) {
  const auto found = object.find(name);
  return found == object.end() || found->is_null() ? nullptr : &*found;
}

bool flag(const Json& object, const char* name, bool fallback) {
  const Json* found = field(object, name);
  if (found == nullptr) return fallback;
  if (!found->is_boolean()) refuse(fmt::format("{} must be true or false", name), name);
  return found->get<bool>();
}

std::optional<std::uint32_t> whole_number(const Json& object, const char* name, std::uint32_t least,
                                          std::uint32_t most) {
  const Json* found = field(object, name);
  if (found == nullptr) return std::nullopt;
  const bool fits =
      found->is_number_integer() && found->get<std::int64_t>() >= least && found->get<std::int64_t>() <= most;
  if (!fits) refuse(fmt::format("{} must be a whole number from {} to {}", name, least, most), name);
  return found->get<std::uint32_t>();
}

std::string text_field(const Json& object, const char* name) {
  const Json* found = field(object, name);
  if (found == nullptr) return {};
  if (!found->is_string()) refuse(fmt::format("{} must be a string", name), name);
  return found->get<std::string>();
}

void read_stream(const Json& body, ApiRequest& request) {
  request.stream = flag(body, "stream");
  read_stream_options(body, request);
}

std::optional<std::uint32_t> limit_field(const Json& body, const char* name) {
  return whole_number(body, name, 1, kMostTokens);
}

void read_limits(const Json& body, std::optional<std::uint32_t> limit, ApiRequest& request) {
  request.limited = limit.has_value();
  request.output_limit = limit.value_or(kUnlimitedTokens);
  request.min_tokens = whole_number(body, "min_tokens", 0, kMostTokens).value_or(0);
  request.ignore_eos = flag(body, "ignore_eos");
}

void read_choices(const Json& body, ApiRequest& request) {
  request.n = whole_number(body, "n", 1, kChoicesLimit).value_or(1);
}

std::optional<std::uint32_t> logprobs_field(const Json& body, const char* name) {
  return whole_number(body, name, 0, kMostLogprobs);
}

void read_thinking(const Json& body, ApiRequest& request) {
  request.thinking = thinking_of(body);
  read_effort(text_field(body, "reasoning_effort"), "reasoning_effort", request);
  const Json* reasoning = field(body, "reasoning");
  if (reasoning == nullptr || !reasoning->is_object()) return;
  read_effort(text_field(*reasoning, "effort"), "reasoning", request);
  request.form.reasoning_summary = field(*reasoning, "summary") != nullptr;
}

std::vector<ChatMessage> messages_of(const Json& body) {
  const Json* found = field(body, "messages");
  if (found == nullptr || !found->is_array() || found->empty())
    refuse("messages must be a list of at least one message", "messages");
  std::vector<ChatMessage> messages;
  add_system(body, "system", messages);
  add_tools(body, messages);
  for (const auto& message : *found) messages.push_back(read_message(message));
  return messages;
}

std::vector<ChatMessage> input_messages_of(const Json& body) {
  const Json* input = field(body, "input");
  if (input == nullptr || input->empty()) refuse("input is required", "input");
  std::vector<ChatMessage> messages;
  add_system(body, "instructions", messages);
  add_tools(body, messages);
  if (input->is_string()) {
    messages.push_back({"user", input->get<std::string>(), {}});
  } else if (input->is_array()) {
    for (const auto& item : *input) messages.push_back(read_item(item));
  } else {
    refuse("input must be a string or a list of items", "input");
  }
  return messages;
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

}  // namespace infermeter::sim
