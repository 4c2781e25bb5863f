#include "sim/api/answer_fields.hpp"

#include <fmt/format.h>

#include <array>
#include <utility>

namespace infermeter::sim {
namespace {

constexpr std::uint32_t kChoicesLimit = 128;
constexpr std::uint32_t kMostTokens = 1U << 30U;
constexpr std::uint32_t kMostLogprobs = 20;              // OpenAI's limit
constexpr std::uint32_t kChatDefaultTokens = 256;        // where no limit is given the answer "stops" here
constexpr std::uint32_t kCompletionsDefaultTokens = 16;  // OpenAI's default limit
constexpr std::uint32_t kDimensions = 1024;              // of an embedding, unless asked for others
constexpr std::uint32_t kMostDimensions = 8192;

void read_stream_options(const Json& body, ApiRequest& request) {
  const Json* options = field(body, "stream_options");
  if (options == nullptr) return;
  if (!request.stream) refuse("stream_options are only known with stream true", "stream_options");
  if (!options->is_object()) refuse("stream_options must be an object", "stream_options");
  request.include_usage = flag(*options, "include_usage");
  request.continuous_usage = request.include_usage && flag(*options, "continuous_usage_stats");
  for (const auto& [name, value] : options->items()) request.fields.push_back(name);
}

std::optional<std::uint32_t> limit_of(const Json& body, Endpoint endpoint) {
  if (endpoint == Endpoint::responses) return whole_number(body, "max_output_tokens", 1, kMostTokens);
  if (endpoint == Endpoint::chat) {
    const auto limit = whole_number(body, "max_completion_tokens", 1, kMostTokens);
    if (limit) return limit;
  }
  const auto limit = whole_number(body, "max_tokens", 1, kMostTokens);
  if (!limit && endpoint == Endpoint::messages) refuse("max_tokens: Field required", "max_tokens");
  return limit;
}

void read_limits(const Json& body, ApiRequest& request) {
  const bool completions = request.endpoint == Endpoint::completions;
  const auto limit = limit_of(body, request.endpoint);
  request.limited = limit.has_value() || completions;
  request.output_limit = limit.value_or(completions ? kCompletionsDefaultTokens : kChatDefaultTokens);
  request.min_tokens = whole_number(body, "min_tokens", 0, kMostTokens).value_or(0);
  request.ignore_eos = flag(body, "ignore_eos");
  if (completions || request.endpoint == Endpoint::chat)
    request.n = whole_number(body, "n", 1, kChoicesLimit).value_or(1);
}

bool includes_logprobs(const Json& body) {
  const Json* include = field(body, "include");
  if (include == nullptr || !include->is_array()) return false;
  for (const auto& item : *include) {
    if (item == "message.output_text.logprobs") return true;
  }
  return false;
}

// Completions say how many; chat says whether, and how many beside; the Responses API by its `include`.
void read_logprobs(const Json& body, ApiRequest& request) {
  if (request.endpoint == Endpoint::completions) {
    request.form.top_logprobs = whole_number(body, "logprobs", 0, kMostLogprobs);
    return;
  }
  const bool asked = request.endpoint == Endpoint::chat        ? flag(body, "logprobs")
                     : request.endpoint == Endpoint::responses ? includes_logprobs(body)
                                                               : false;
  if (asked) request.form.top_logprobs = whole_number(body, "top_logprobs", 0, kMostLogprobs).value_or(0);
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

void read_thinking(const Json& body, ApiRequest& request) {
  request.thinking = thinking_of(body);
  read_effort(text_field(body, "reasoning_effort"), "reasoning_effort", request);
  const Json* reasoning = field(body, "reasoning");
  if (reasoning == nullptr || !reasoning->is_object()) return;
  read_effort(text_field(*reasoning, "effort"), "reasoning", request);
  request.form.reasoning_summary = field(*reasoning, "summary") != nullptr;
}

void read_embedding_fields(const Json& body, ApiRequest& request) {
  request.dimensions = whole_number(body, "dimensions", 1, kMostDimensions).value_or(kDimensions);
  const std::string format = text_field(body, "encoding_format");
  if (!format.empty() && format != "float" && format != "base64")
    refuse("encoding_format must be float or base64", "encoding_format");
  request.base64 = format == "base64";
}

}  // namespace

void read_answer_fields(const Json& body, ApiRequest& request) {
  if (request.endpoint == Endpoint::embeddings) return read_embedding_fields(body, request);
  request.stream = flag(body, "stream");
  if (request.endpoint == Endpoint::chat || request.endpoint == Endpoint::completions)
    read_stream_options(body, request);
  read_limits(body, request);
  read_logprobs(body, request);
  read_thinking(body, request);
}

}  // namespace infermeter::sim
