#include "protocol/request/shape.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "base/text.hpp"
#include "infermeter/base/errors.hpp"
#include "protocol/request/message_forms.hpp"

namespace infermeter {
namespace {

// The least that Anthropic takes for thinking.
constexpr std::uint32_t kLeastBudget = 1024;
// The least max_output_tokens that OpenAI takes.
constexpr std::uint32_t kLeastResponse = 16;

[[noreturn]] void refuse(std::string_view what, Endpoint endpoint) {
  throw UsageError(fmt::format("{} cannot be asked of the {} endpoint", what, name(endpoint)));
}

bool is_one_of(Endpoint endpoint, std::initializer_list<Endpoint> some) {
  return std::find(some.begin(), some.end(), endpoint) != some.end();
}

void put(RequestShape& shape, std::string_view field, const Json& value) {
  shape.options.emplace_back(field, text_of(value));
}

void put_choices(RequestShape& shape, const Answers& answers) {
  if (answers.choices <= 1) return;
  if (!is_one_of(shape.endpoint, {Endpoint::chat, Endpoint::completions}))
    refuse("more than one choice", shape.endpoint);
  put(shape, "n", answers.choices);
}

void put_logprobs(RequestShape& shape, const Answers& answers) {
  if (answers.logprobs == 0) return;
  switch (shape.endpoint) {
    case Endpoint::chat:
      put(shape, "logprobs", true);
      put(shape, "top_logprobs", answers.logprobs);
      return;
    case Endpoint::completions:
      return put(shape, "logprobs", answers.logprobs);
    case Endpoint::responses:
      put(shape, "include", Json::array({"message.output_text.logprobs"}));
      put(shape, "top_logprobs", answers.logprobs);
      return;
    default:
      refuse("log probabilities", shape.endpoint);
  }
}

bool takes_template_kwargs(std::string_view engine) {
  constexpr std::array<std::string_view, 6> engines{"vllm",      "sglang",   "tensorrt-llm",
                                                    "llama.cpp", "lmdeploy", "infermeter-sim"};
  return std::find(engines.begin(), engines.end(), engine) != engines.end();
}

// Where thinking is said by the effort alone.
std::string effort_of(const Answers& answers) {
  if (answers.thinking == Thinking::off) return "none";
  const bool on = answers.thinking == Thinking::on;
  return on && answers.reasoning_effort.empty() ? "medium" : answers.reasoning_effort;
}

void put_chat_reasoning(RequestShape& shape, const Answers& answers, std::string_view engine) {
  const bool by_template = answers.thinking != Thinking::unsaid && takes_template_kwargs(engine);
  const std::string effort = by_template ? answers.reasoning_effort : effort_of(answers);
  if (!effort.empty()) put(shape, "reasoning_effort", effort);
  if (!by_template) return;
  const bool on = answers.thinking == Thinking::on;
  put(shape, "chat_template_kwargs", {{"enable_thinking", on}, {"thinking", on}});
}

// Half of the answer for thinking, as far as the API's least allows.
void put_messages_reasoning(RequestShape& shape, const Answers& answers) {
  if (!answers.reasoning_effort.empty()) put(shape, "output_config", {{"effort", answers.reasoning_effort}});
  if (answers.thinking == Thinking::off) put(shape, "thinking", {{"type", "disabled"}});
  if (answers.thinking != Thinking::on) return;
  const auto half = static_cast<std::uint32_t>(answers.output_tokens.mean() / 2);
  const std::uint32_t budget = std::max(kLeastBudget, half);
  if (answers.output_tokens.most() <= budget) {
    throw UsageError(
        fmt::format("thinking on the messages endpoint takes {} tokens at least, which the "
                    "output tokens must exceed",
                    budget));
  }
  shape.least_output_tokens = budget + 1;
  put(shape, "thinking", {{"type", "enabled"}, {"budget_tokens", budget}});
}

void put_reasoning(RequestShape& shape, const Answers& answers, std::string_view engine) {
  if (answers.thinking == Thinking::unsaid && answers.reasoning_effort.empty()) return;
  if (answers.thinking == Thinking::off && !answers.reasoning_effort.empty())
    throw UsageError("a reasoning effort and thinking off exclude each other");
  switch (shape.endpoint) {
    case Endpoint::chat:
      return put_chat_reasoning(shape, answers, engine);
    case Endpoint::responses:
      return put(shape, "reasoning", {{"effort", effort_of(answers)}});
    case Endpoint::messages:
      return put_messages_reasoning(shape, answers);
    default:
      refuse("reasoning", shape.endpoint);
  }
}

void put_tools(RequestShape& shape, const Answers& answers) {
  if (answers.tools.empty()) return;
  if (is_one_of(shape.endpoint, {Endpoint::completions, Endpoint::embeddings}))
    refuse("tools", shape.endpoint);
  const Json tools = Json::parse(answers.tools, nullptr, false);
  if (!tools.is_array())
    throw UsageError(fmt::format("tools: '{}' is not a JSON array", one_line(answers.tools, 100)));
  put(shape, "tools", tools_for(shape.endpoint, tools));
}

/// A bare schema, or one with its name: {"name":…,"schema":…}.
Json named_schema(const std::string& text) {
  Json given = Json::parse(text, nullptr, false);
  if (!given.is_object())
    throw UsageError(fmt::format("JSON schema: '{}' is not a JSON object", one_line(text, 100)));
  if (given.contains("schema") && given["schema"].is_object()) {
    if (!given.contains("name")) given["name"] = "answer";
    return given;
  }
  return {{"name", "answer"}, {"schema", given}};
}

void put_schema(RequestShape& shape, const Json& schema) {
  Json format = {{"type", "json_schema"}};
  switch (shape.endpoint) {
    case Endpoint::responses:
      merge(format, schema);
      return put(shape, "text", {{"format", format}});
    case Endpoint::messages: {
      format["schema"] = schema["schema"];
      Json config = {{"format", format}};
      const auto same = [](const auto& option) { return option.first == "output_config"; };
      const auto given = std::find_if(shape.options.begin(), shape.options.end(), same);
      if (given == shape.options.end()) return put(shape, "output_config", config);
      merge(config, Json::parse(given->second));
      given->second = text_of(config);
      return;
    }
    default:
      format["json_schema"] = schema;
      return put(shape, "response_format", format);
  }
}

void put_format(RequestShape& shape, const Answers& answers) {
  if (answers.json_schema.empty() && !answers.json_mode) return;
  if (shape.endpoint == Endpoint::embeddings) refuse("a format of the answer", shape.endpoint);
  if (!answers.json_schema.empty()) return put_schema(shape, named_schema(answers.json_schema));
  const Json object = {{"type", "json_object"}};
  if (shape.endpoint == Endpoint::messages) refuse("JSON without a schema", shape.endpoint);
  if (shape.endpoint == Endpoint::responses) return put(shape, "text", {{"format", object}});
  put(shape, "response_format", object);
}

std::string limit_field(Endpoint endpoint) {
  if (endpoint == Endpoint::embeddings) return {};
  return endpoint == Endpoint::responses ? "max_output_tokens" : "max_tokens";
}

// The class's keys win over the target's.
std::string joined_extra(const std::string& of_target, const std::string& of_class) {
  if (of_target.empty() || of_class.empty()) return of_target + of_class;
  Json extra = parse_extra(of_target);
  merge(extra, parse_extra(of_class));
  return text_of(extra);
}

}  // namespace

RequestShape shape_of(const Target& target, const TrafficClass& traffic, Endpoint endpoint,
                      std::string_view engine) {
  const Answers& answers = traffic.answers;
  const auto& lengths = answers.output_tokens;
  RequestShape shape;
  shape.endpoint = endpoint;
  shape.model = traffic.model.empty() ? target.model : traffic.model;
  shape.system_prompt = traffic.prompts.system_prompt;
  shape.max_tokens_field = limit_field(endpoint);
  shape.output_tokens = static_cast<std::uint32_t>(std::lround(std::max(lengths.mean(), 1.0)));
  if (endpoint == Endpoint::responses) shape.least_output_tokens = kLeastResponse;
  shape.stream = answers.stream && endpoint != Endpoint::embeddings;
  shape.extra_body = joined_extra(target.extra_body, answers.extra_body);
  if (traffic.prompts.images > 0 && is_one_of(endpoint, {Endpoint::completions, Endpoint::embeddings}))
    refuse("images", endpoint);
  put_choices(shape, answers);
  put_logprobs(shape, answers);
  put_reasoning(shape, answers, engine);
  put_tools(shape, answers);
  put_format(shape, answers);
  return shape;
}

}  // namespace infermeter
