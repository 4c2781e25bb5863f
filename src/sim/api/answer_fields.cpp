#include "sim/api/answer_fields.hpp"

#include <fmt/format.h>

#include <array>
#include <utility>

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

}  // namespace

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

}  // namespace infermeter::sim
