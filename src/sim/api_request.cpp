#include "api_request.hpp"

#include <fmt/format.h>

#include <nlohmann/json.hpp>
#include <utility>

#include "http_text.hpp"

namespace infermeter::sim {
namespace {

using Json = nlohmann::json;

constexpr std::uint32_t kMostChoices = 128;
constexpr std::uint32_t kChatDefaultTokens = 256;        // where no limit is given the answer "stops" here
constexpr std::uint32_t kCompletionsDefaultTokens = 16;  // OpenAI's default limit

// Thrown and caught within this file: a refused request is a value to everyone else.
[[noreturn]] void refuse(std::string message, std::string param = {}) {
  throw ApiProblem{400, std::move(message), "BadRequestError", std::move(param)};
}

Json parse_object(std::string_view body) {
  Json json = Json::parse(body, nullptr, false);
  if (json.is_discarded()) refuse("the body is not JSON");
  if (!json.is_object()) refuse("the body is not a JSON object");
  return json;
}

void check_model(const Json& body, const ServedModel& served) {
  const auto model = body.find("model");
  if (model == body.end() || model->is_null()) return;
  if (!model->is_string()) refuse("model must be a string", "model");
  const auto& name = model->get_ref<const std::string&>();
  if (name == served.name || name.empty()) return;
  throw ApiProblem{404,
                   fmt::format("The model `{}` does not exist; this server has `{}`.", name, served.name),
                   "NotFoundError", "model"};
}

bool flag(const Json& object, const char* name, bool fallback = false) {
  const auto found = object.find(name);
  if (found == object.end() || found->is_null()) return fallback;
  if (!found->is_boolean()) refuse(fmt::format("{} must be true or false", name), name);
  return found->get<bool>();
}

constexpr std::uint32_t kMostTokens = 1U << 30U;

std::optional<std::uint32_t> whole_number(const Json& object, const char* name, std::uint32_t least,
                                          std::uint32_t most) {
  const auto found = object.find(name);
  if (found == object.end() || found->is_null()) return std::nullopt;
  const bool fits =
      found->is_number_integer() && found->get<std::int64_t>() >= least && found->get<std::int64_t>() <= most;
  if (!fits) refuse(fmt::format("{} must be a whole number from {} to {}", name, least, most), name);
  return found->get<std::uint32_t>();
}

// A string, or a list of parts of which only text ones exist for a text model.
std::string content_text(const Json& content) {
  if (content.is_null()) return {};
  if (content.is_string()) return content.get<std::string>();
  if (!content.is_array()) refuse("content must be a string or a list of parts", "messages");
  std::string text;
  for (const auto& part : content) {
    const bool is_text = part.is_object() && part.contains("text") && part["text"].is_string();
    if (!is_text) refuse("only text parts are known to this model", "messages");
    if (!text.empty()) text += '\n';
    text += part["text"].get_ref<const std::string&>();
  }
  return text;
}

std::vector<ChatMessage> messages_of(const Json& body) {
  const auto found = body.find("messages");
  if (found == body.end() || !found->is_array() || found->empty())
    refuse("messages must be a list of at least one message", "messages");
  std::vector<ChatMessage> messages;
  for (const auto& message : *found) {
    const bool has_role = message.is_object() && message.contains("role") && message["role"].is_string();
    if (!has_role) refuse("a message needs a role", "messages");
    const auto content = message.find("content");
    messages.push_back({message["role"].get<std::string>(),
                        content == message.end() ? std::string() : content_text(*content)});
  }
  return messages;
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

void read_prompt(const Json& prompt, ApiRequest& request) {
  if (prompt.is_string()) {
    const auto& text = prompt.get_ref<const std::string&>();
    request.texts.push_back(text);
    request.prompts.push_back(tokenize_prompt(text));
  } else if (prompt.is_array() && all_numbers(prompt)) {
    request.texts.emplace_back();
    request.prompts.push_back(token_ids(prompt));
  } else {
    refuse("prompt must be a string, a list of strings, token ids, or a list of lists of token ids",
           "prompt");
  }
}

void read_prompts(const Json& body, ApiRequest& request) {
  const auto prompt = body.find("prompt");
  if (prompt == body.end()) refuse("prompt is required", "prompt");
  if (prompt->is_array() && !all_numbers(*prompt)) {
    for (const auto& one : *prompt) read_prompt(one, request);
  } else {
    read_prompt(*prompt, request);
  }
  if (request.prompts.empty()) refuse("prompt must not be empty", "prompt");
}

void read_messages(const Json& body, ApiRequest& request) {
  const auto messages = messages_of(body);
  std::string& text = request.texts.emplace_back();
  for (const auto& message : messages) {
    if (!text.empty()) text += '\n';
    text += message.content;
  }
  request.prompts.push_back(tokenize_chat(messages));
}

void read_stream_options(const Json& body, ApiRequest& request) {
  const auto options = body.find("stream_options");
  if (options == body.end() || options->is_null()) return;
  if (!request.stream) refuse("stream_options are only known with stream true", "stream_options");
  if (!options->is_object()) refuse("stream_options must be an object", "stream_options");
  request.include_usage = flag(*options, "include_usage");
  request.continuous_usage = request.include_usage && flag(*options, "continuous_usage_stats");
  for (const auto& [name, value] : options->items()) request.fields.push_back(name);
}

void read_limits(const Json& body, ApiRequest& request) {
  const auto completion = request.endpoint == Endpoint::chat
                              ? whole_number(body, "max_completion_tokens", 1, kMostTokens)
                              : std::nullopt;
  const auto limit = completion ? completion : whole_number(body, "max_tokens", 1, kMostTokens);
  const bool chat = request.endpoint == Endpoint::chat;
  request.limited = limit.has_value() || !chat;
  request.output_limit = limit.value_or(chat ? kChatDefaultTokens : kCompletionsDefaultTokens);
  request.min_tokens = whole_number(body, "min_tokens", 0, kMostTokens).value_or(0);
  request.ignore_eos = flag(body, "ignore_eos");
  request.n = whole_number(body, "n", 1, kMostChoices).value_or(1);
}

void check_sizes(const ApiRequest& request, const ServedModel& served) {
  if (request.prompts.size() * request.n > kMostChoices)
    refuse(fmt::format("more than {} choices in one request", kMostChoices), "n");
  for (const auto& prompt : request.prompts) {
    if (prompt.size() + request.output_limit <= served.context_tokens) continue;
    refuse(fmt::format("This model's maximum context length is {} tokens; the prompt has {} and {} more are "
                       "asked for.",
                       served.context_tokens, prompt.size(), request.output_limit),
           request.endpoint == Endpoint::chat ? "messages" : "prompt");
  }
}

ApiRequest read_request(Endpoint endpoint, std::string_view text, const ServedModel& served) {
  const Json body = parse_object(text);
  check_model(body, served);
  ApiRequest request;
  request.endpoint = endpoint;
  for (const auto& [name, value] : body.items()) request.fields.push_back(name);
  request.stream = flag(body, "stream");
  read_stream_options(body, request);
  read_limits(body, request);
  endpoint == Endpoint::chat ? read_messages(body, request) : read_prompts(body, request);
  check_sizes(request, served);
  return request;
}

TokenizeRequest read_tokenize(std::string_view text, const ServedModel& served) {
  const Json body = parse_object(text);
  check_model(body, served);
  if (body.contains("messages"))
    return {tokenize_chat(messages_of(body), flag(body, "add_generation_prompt", true))};
  const auto prompt = body.find("prompt");
  if (prompt == body.end() || !prompt->is_string()) refuse("prompt must be a string", "prompt");
  return {tokenize_prompt(prompt->get_ref<const std::string&>(), flag(body, "add_special_tokens", true))};
}

}  // namespace

std::variant<ApiRequest, ApiProblem> parse_api_request(Endpoint endpoint, std::string_view body,
                                                       const ServedModel& served) {
  try {
    return read_request(endpoint, body, served);
  } catch (const ApiProblem& problem) {
    return problem;
  }
}

std::variant<TokenizeRequest, ApiProblem> parse_tokenize_request(std::string_view body,
                                                                 const ServedModel& served) {
  try {
    return read_tokenize(body, served);
  } catch (const ApiProblem& problem) {
    return problem;
  }
}

std::string problem_json(const ApiProblem& problem) {
  return fmt::format(R"({{"error":{{"message":{},"type":{},"param":{},"code":{}}}}})",
                     json_quoted(problem.message), json_quoted(problem.type),
                     problem.param.empty() ? "null" : json_quoted(problem.param), problem.status);
}

}  // namespace infermeter::sim
