#include "protocol/request/shape.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/text.hpp"
#include "infermeter/base/errors.hpp"
#include "protocol/endpoints/codec.hpp"

namespace infermeter {
namespace {

void put_reasoning(RequestShape& shape, const Answers& answers, const EndpointCodec& codec,
                   std::string_view engine) {
  if (answers.thinking == Thinking::unsaid && answers.reasoning_effort.empty()) return;
  if (answers.thinking == Thinking::off && !answers.reasoning_effort.empty())
    throw UsageError("a reasoning effort and thinking off exclude each other");
  codec.put_reasoning(shape, answers, engine);
}

void put_tools(RequestShape& shape, const Answers& answers, const EndpointCodec& codec) {
  if (answers.tools.empty()) return;
  const Json tools = Json::parse(answers.tools, nullptr, false);
  if (!tools.is_array())
    throw UsageError(fmt::format("tools: '{}' is not a JSON array", one_line(answers.tools, 100)));
  codec.put_tools(shape, tools);
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
  const EndpointCodec& codec = codec_of(endpoint);
  const EndpointTraits& traits = codec.traits();
  RequestShape shape;
  shape.endpoint = endpoint;
  shape.model = traffic.model.empty() ? target.model : traffic.model;
  shape.system_prompt = traffic.prompts.system_prompt;
  shape.max_tokens_field = traits.limit_field;
  shape.output_tokens = static_cast<std::uint32_t>(std::lround(std::max(lengths.mean(), 1.0)));
  shape.least_output_tokens = traits.least_limit;
  shape.stream = answers.stream && traits.generates;
  shape.extra_body = joined_extra(target.extra_body, answers.extra_body);
  if (traffic.prompts.images > 0 && !traits.takes_images) codec.refuse("images");
  if (traffic.prompts.batch > 1 && traits.generates)
    codec.refuse("several texts in one request (--batch-size)");
  if (answers.choices > 1) codec.put_choices(shape, answers.choices);
  if (answers.logprobs > 0) codec.put_logprobs(shape, answers.logprobs);
  put_reasoning(shape, answers, codec, engine);
  put_tools(shape, answers, codec);
  if (!answers.json_schema.empty()) {
    codec.put_schema(shape, named_schema(answers.json_schema));
  } else if (answers.json_mode) {
    codec.put_json_mode(shape);
  }
  return shape;
}

}  // namespace infermeter
