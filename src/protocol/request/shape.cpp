#include "protocol/request/shape.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "base/json_tree.hpp"
#include "base/text.hpp"
#include "infermeter/base/errors.hpp"
#include "protocol/endpoints/codec.hpp"
#include "protocol/request/json_object.hpp"

namespace infermeter {
namespace {

bool are_of(const VendorFacts& facts, Endpoint endpoint) {
  return !facts.endpoint || *facts.endpoint == endpoint;
}

std::string_view switch_of(const VendorFacts& facts, const Answers& answers, Endpoint endpoint) {
  if (answers.thinking == Thinking::unsaid || !are_of(facts, endpoint)) return {};
  return answers.thinking == Thinking::on ? facts.thinking_on : facts.thinking_off;
}

/// Throws UsageError naming `what` if the text is not one.
Json object_in(std::string_view what, std::string_view text) {
  refuse_too_deep(what, text);
  Json object = json_tree<Json>(text);
  if (!object.is_object())
    throw UsageError(fmt::format("{}: '{}' is not a JSON object", what, one_line(text, 100)));
  return object;
}

void put_switch(RequestShape& shape, const VendorFacts& facts, std::string_view text) {
  const Json fields = object_in(fmt::format("thinking_on and thinking_off of {}", facts.vendor), text);
  for (const auto& [name, value] : fields.items()) shape.options.emplace_back(name, text_of(value));
}

void put_reasoning(RequestShape& shape, Answers answers, const EndpointCodec& codec, const VendorFacts& facts,
                   std::string_view engine) {
  if (answers.thinking == Thinking::unsaid && answers.reasoning_effort.empty()) return;
  if (answers.thinking == Thinking::off && !answers.reasoning_effort.empty())
    throw UsageError("a reasoning effort and thinking off exclude each other");
  const std::string_view of_vendor = switch_of(facts, answers, shape.endpoint);
  if (of_vendor.empty()) return codec.put_reasoning(shape, answers, engine);
  put_switch(shape, facts, of_vendor);
  if (answers.reasoning_effort.empty()) return;
  answers.thinking = Thinking::unsaid;  // the effort alone; it replaces the switch's own
  std::erase_if(shape.options, [](const auto& option) { return option.first == "reasoning_effort"; });
  codec.put_reasoning(shape, answers, engine);
}

/// Options of `run` and the fields that they put into a body.
struct OptionFields {
  std::string_view option;
  std::array<std::string_view, 3> fields;
};
constexpr OptionFields kOptionFields[] = {
    {"--choices", {"n"}},
    {"--logprobs", {"logprobs", "top_logprobs"}},
    {"--thinking", {"chat_template_kwargs", "enable_thinking", "thinking"}},
    {"--reasoning-effort", {"reasoning_effort", "reasoning"}},
    {"--tools", {"tools"}},
    {"--json-mode, --json-schema", {"response_format", "text"}},
    {"--exact-output", {"ignore_eos", "min_tokens", "min_new_tokens"}},
};

/// One note for each option that these fields belong to.
void note_left_out(RequestShape& shape, const VendorFacts& facts, const std::vector<std::string>& fields) {
  for (const auto& [option, names] : kOptionFields) {
    std::string of_option;
    for (const auto& field : fields) {
      if (std::ranges::find(names, field) == names.end()) continue;
      of_option += (of_option.empty() ? "" : ", ") + field;
    }
    if (!of_option.empty())
      shape.notes.push_back(
          fmt::format("{} does not take {} ({}): left out", facts.vendor, option, of_option));
  }
}

/// "n": 1 in the user's extra body is what every server does.
bool asks_for_one(const RequestShape& shape) {
  const Json extra = json_tree<Json>(shape.extra_body, kMostComposedLevels);
  return extra.is_object() && extra.contains("n") && extra["n"] == 1;
}

void leave_out_refused(RequestShape& shape, const VendorFacts& facts) {
  std::vector<std::string> of_options;
  std::string of_extra;
  for (const auto& field : facts.refused) {
    if (field == "n" && asks_for_one(shape)) continue;
    const TakenOut taken = take_out(shape, field);
    of_options.insert(of_options.end(), taken.options.begin(), taken.options.end());
    if (taken.of_extra) of_extra += (of_extra.empty() ? "" : ", ") + field;
  }
  note_left_out(shape, facts, of_options);
  if (!of_extra.empty())
    shape.notes.push_back(
        fmt::format("{} does not take --extra-body ({}): left out", facts.vendor, of_extra));
}

void put_tools(RequestShape& shape, const Answers& answers, const EndpointCodec& codec) {
  if (answers.tools.empty()) return;
  refuse_too_deep("--tools", answers.tools);
  const Json tools = json_tree<Json>(answers.tools);
  if (!tools.is_array())
    throw UsageError(fmt::format("tools: '{}' is not a JSON array", one_line(answers.tools, 100)));
  codec.put_tools(shape, tools);
}

/// A bare schema, or one with its name: {"name":…,"schema":…}.
Json named_schema(const std::string& text) {
  Json given = object_in("JSON schema", text);
  if (given.contains("schema") && given["schema"].is_object()) {
    if (!given.contains("name")) given["name"] = "answer";
    return given;
  }
  return {{"name", "answer"}, {"schema", given}};
}

}  // namespace

std::string joined_extra(const std::string& lower, const std::string& higher) {
  if (lower.empty() || higher.empty()) return lower + higher;
  Json extra = parse_extra(lower);
  merge(extra, parse_extra(higher));
  return text_of(extra);
}

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
  if (!target.facts.limit_field.empty() && !traits.limit_field.empty() && are_of(target.facts, endpoint))
    shape.max_tokens_field = target.facts.limit_field;
  shape.output_tokens = static_cast<std::uint32_t>(std::lround(std::max(lengths.mean(), 1.0)));
  shape.least_output_tokens = traits.least_limit;
  shape.stream = answers.stream && traits.generates;
  shape.extra_body = joined_extra(target.extra_body, answers.extra_body);
  if (traffic.prompts.images > 0 && !traits.takes_images) codec.refuse("images");
  if (traffic.prompts.batch > 1 && traits.generates)
    codec.refuse("several texts in one request (--batch-size)");
  if (answers.choices > 1) codec.put_choices(shape, answers.choices);
  if (answers.logprobs > 0) codec.put_logprobs(shape, answers.logprobs);
  put_reasoning(shape, answers, codec, target.facts, engine);
  put_tools(shape, answers, codec);
  if (!answers.json_schema.empty()) {
    codec.put_schema(shape, named_schema(answers.json_schema));
  } else if (answers.json_mode) {
    codec.put_json_mode(shape);
  }
  leave_out_refused(shape, target.facts);
  return shape;
}

void refuse_no_object(std::string_view what, std::string_view text) { object_in(what, text); }

bool force_length(RequestShape& shape, const VendorFacts& facts, std::string_view engine, bool asked) {
  shape.exact_fields = exact_output_fields(engine);
  if (shape.exact_fields.empty()) shape.exact_fields = {"ignore_eos", "min_tokens"};
  std::vector<std::string> left_out;
  std::erase_if(shape.exact_fields, [&](const std::string& field) {
    if (facts.refuses(field)) left_out.push_back(field);
    return facts.refuses(field);
  });
  if (asked) note_left_out(shape, facts, left_out);
  return !shape.exact_fields.empty();
}

}  // namespace infermeter
