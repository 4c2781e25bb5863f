// Anthropic's Messages API.
#include <fmt/format.h>

#include <algorithm>

#include "base/json_tree.hpp"
#include "infermeter/base/errors.hpp"
#include "protocol/endpoints/codec.hpp"
#include "protocol/request/message_forms.hpp"
#include "protocol/stream/chunk_reader.hpp"

namespace infermeter {
namespace {

/// Reads the named events of Anthropic's Messages API, and its non-streamed answer.
class MessagesReader final : public ChunkReader {
  bool read_chunk(std::string_view json) override;
  void read_root(std::string_view key, Value& value);
  void read_message(std::string_view key, Value& value);
  void read_block(Value& value);
  void read_stop(std::string_view reason);
  void settle_usage();

  std::string_view type_;
};

bool MessagesReader::read_chunk(std::string_view json) {
  type_ = {};
  if (!walk(json, [this](std::string_view key, Value& value) { read_root(key, value); })) return false;
  chunk_.is_delta = !type_.empty() && type_ != "message" && type_ != "error";
  chunk_.done = type_ == "message_stop";
  if (type_ == "message") chunk_.repeat = Repeat::whole;
  if (type_ == "content_block_start") chunk_.repeat = Repeat::opening;
  chunk_.ordinary = type_.starts_with("content_block_") || type_.starts_with("message");
  settle_usage();
  return true;
}

void MessagesReader::read_root(std::string_view key, Value& value) {
  if (key == "type") {
    type_ = text_of(value);
  } else if (key == "delta" || key == "content_block") {
    read_block(value);
  } else if (key == "error") {
    read_error(value);
  } else if (key == "message") {
    each_field(value, [this](std::string_view inner, Value& field) { read_message(inner, field); });
  } else {
    read_message(key, value);
  }
}

// Fields of a message: of message_start's, or of a non-streamed answer.
void MessagesReader::read_message(std::string_view key, Value& value) {
  if (key == "usage") {
    read_usage(value);
  } else if (key == "model") {
    chunk_.model = text_of(value);
  } else if (key == "stop_reason") {
    read_stop(text_of(value));
  } else if (key == "content") {
    each_element(value, [this](Value& block) { read_block(block); });
  } else if (is_timing(key)) {
    read_timing(key, value);
  }
}

// A block, its beginning or a piece of it: the field names show which one. A signature of thinking is not
// text.
void MessagesReader::read_block(Value& value) {
  each_field(value, [this](std::string_view key, Value& field) {
    if (key == "text") {
      add_text(choice_zero(), TokenKind::content, text_of(field));
    } else if (key == "thinking" || key == "reasoning" || key == "reasoning_content") {
      add_text(choice_zero(), TokenKind::reasoning, text_of(field));
    } else if (key == "partial_json" || key == "name") {
      add_text(choice_zero(), TokenKind::tool_call, text_of(field));
    } else if (key == "stop_reason") {
      read_stop(text_of(field));
    } else if (key == "type") {
      if (text_of(field) == "redacted_thinking") choice_zero().sealed = true;
    } else if (key == "input") {
      std::string_view json;
      Object object;
      // Empty at the beginning of a block whose pieces follow.
      if (open(field, object, json) && json != "{}") add_text(choice_zero(), TokenKind::tool_call, json);
    }
  });
}

// Uses the finish reasons of chat completions, so that answers of different endpoints can be counted
// together.
void MessagesReader::read_stop(std::string_view reason) {
  if (reason == "end_turn" || reason == "stop_sequence") reason = "stop";
  if (reason == "max_tokens" || reason == "model_context_window_exceeded") reason = "length";
  if (reason == "tool_use") reason = "tool_calls";
  if (reason == "refusal") reason = "content_filter";
  if (!reason.empty()) choice_zero().finish_reason = reason;
}

// input_tokens exclude tokens read from the cache or written to it. The output tokens of message_start belong
// to an answer that has hardly begun, so they must not be used as the count of a stream that is cut short.
void MessagesReader::settle_usage() {
  if (!chunk_.usage) return;
  auto& usage = *chunk_.usage;
  const std::int64_t cache = usage.cached.value_or(0) + usage.cache_written.value_or(0);
  if (usage.prompt || cache > 0) usage.prompt = usage.prompt.value_or(0) + cache;
  chunk_.usage_opens = type_ == "message_start";
  if (chunk_.usage_opens) usage.completion.reset();
}

// "data:image/png;base64,…"; any other URL is fetched by the server.
Json image_source(std::string_view url) {
  constexpr std::string_view scheme = "data:", coding = ";base64,";
  const std::size_t at = url.find(coding);
  if (!url.starts_with(scheme) || at == std::string_view::npos) return {{"type", "url"}, {"url", url}};
  return {{"type", "base64"},
          {"media_type", url.substr(scheme.size(), at - scheme.size())},
          {"data", url.substr(at + coding.size())}};
}

Json messages_part(const Json& part) {
  const std::string image = image_url(part);
  return image.empty() ? part : Json{{"type", "image"}, {"source", image_source(image)}};
}

// Tool calls and their results are blocks inside the messages.
Json blocks_of(const Json& message) {
  Json blocks = Json::array();
  const std::string text = plain_content(message);
  if (!text.empty()) blocks.push_back({{"type", "text"}, {"text", text}});
  for (const auto& call : message["tool_calls"]) {
    const Json* function = member(call, "function");
    if (function == nullptr) continue;
    Json input = json_tree<Json>(text_at(*function, "arguments"));
    if (!input.is_object()) input = Json::object();
    blocks.push_back({{"type", "tool_use"},
                      {"id", text_at(call, "id")},
                      {"name", text_at(*function, "name")},
                      {"input", input}});
  }
  return blocks;
}

Json turn_of(const Json& message) {
  const std::string role = text_at(message, "role");
  if (role == "tool") {
    Json result = {{"type", "tool_result"},
                   {"tool_use_id", text_at(message, "tool_call_id")},
                   {"content", plain_content(message)}};
    return {{"role", "user"}, {"content", Json::array({result})}};
  }
  if (member(message, "tool_calls") != nullptr) return {{"role", role}, {"content", blocks_of(message)}};
  return {{"role", role}, {"content", content_in(message, messages_part)}};
}

Json messages_tool(const Json& function) {
  Json form = function;
  const Json* parameters = member(function, "parameters");
  form["input_schema"] = parameters == nullptr ? Json{{"type", "object"}} : *parameters;
  form.erase("parameters");
  form.erase("strict");
  return form;
}

// Anthropic's minimum for thinking.
constexpr std::uint32_t kLeastBudget = 1024;

class MessagesCodec final : public EndpointCodec {
 public:
  MessagesCodec()
      : EndpointCodec({.endpoint = Endpoint::messages,
                       .takes_system_messages = false,
                       .limit_field = "max_tokens",
                       .demands_limit = true,
                       .key_header = "x-api-key",
                       .version_header = "anthropic-version",
                       .version = "2023-06-01"}) {}

  void put_prompt(Json& body, const std::string& system, const std::string& prompt) const override {
    if (!system.empty()) body["system"] = system;
    body["messages"] = Json::array({prompt});
  }
  // The system prompt is not a message in this API.
  void put_messages(Json& body, const std::string& first, const Json& messages) const override {
    std::string system = first;
    Json turns = Json::array();
    for (const auto& message : messages) {
      const std::string role = text_at(message, "role");
      if (role != "system" && role != "developer") {
        turns.push_back(turn_of(message));
        continue;
      }
      if (!system.empty()) system += "\n\n";
      system += plain_content(message);
    }
    if (!system.empty()) body["system"] = system;
    body["messages"] = turns;
  }
  // Half of the answer for thinking, but at least the API's minimum.
  void put_reasoning(RequestShape& shape, const Answers& answers, std::string_view) const override {
    if (!answers.reasoning_effort.empty())
      put(shape, "output_config", {{"effort", answers.reasoning_effort}});
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
  void put_tools(RequestShape& shape, const Json& tools) const override {
    put(shape, "tools", tools_in(tools, messages_tool));
  }
  void put_schema(RequestShape& shape, const Json& schema) const override {
    Json config = {{"format", {{"type", "json_schema"}, {"schema", schema["schema"]}}}};
    const auto same = [](const auto& option) { return option.first == "output_config"; };
    const auto given = std::find_if(shape.options.begin(), shape.options.end(), same);
    if (given == shape.options.end()) return put(shape, "output_config", config);
    merge(config, json_tree<Json>(given->second, kMostComposedLevels));
    given->second = text_of(config);
  }
  void put_json_mode(RequestShape&) const override { refuse("JSON without a schema"); }
  std::unique_ptr<AnswerReader> make_reader() const override { return std::make_unique<MessagesReader>(); }
};

}  // namespace

const EndpointCodec& messages_codec() {
  static const MessagesCodec codec;
  return codec;
}

}  // namespace infermeter
