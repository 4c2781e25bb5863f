// OpenAI's Responses API.
#include "protocol/endpoints/codec.hpp"
#include "protocol/request/message_forms.hpp"
#include "protocol/stream/chunk_reader.hpp"

namespace infermeter {
namespace {

/// Reads the typed events of the Responses API, and its non-streamed answer.
class ResponsesReader final : public ChunkReader {
  bool read_chunk(std::string_view json) override;
  void read_root(std::string_view key, Value& value);
  void read_response(std::string_view key, Value& value);
  void read_output(Value& value);
  void read_parts(Value& value, TokenKind kind);
  void read_part(Value& value, TokenKind kind);
  void take_event();
  void take_status();

  // Fields come in any order (pydantic's puts `type` last): the event is classified once all are read.
  std::string_view type_, delta_, status_, reason_;
  std::string_view text_;         // of the end of a text
  std::string_view output_text_;  // some gateways' sum of an answer's texts
  std::uint32_t logprobs_ = 0;
};

/// The kind of delta that this event carries. Other types than those known (code, custom tools) are tool
/// calls.
TokenKind kind_of_delta(std::string_view type) {
  if (type.find("reasoning") != std::string_view::npos) return TokenKind::reasoning;
  if (type.find("output_text") != std::string_view::npos) return TokenKind::content;
  if (type.find("refusal") != std::string_view::npos) return TokenKind::refusal;
  return type.find("audio") != std::string_view::npos ? TokenKind::audio : TokenKind::tool_call;
}

bool is_terminal(std::string_view type) {
  return type == "response.completed" || type == "response.incomplete" || type == "response.failed" ||
         type == "response.cancelled";
}

bool ResponsesReader::read_chunk(std::string_view json) {
  type_ = delta_ = status_ = reason_ = text_ = output_text_ = {};
  logprobs_ = 0;
  if (!walk(json, [this](std::string_view key, Value& value) { read_root(key, value); })) return false;
  take_event();
  take_status();
  chunk_.ordinary = chunk_.is_delta || chunk_.usage || !chunk_.choices.empty();
  return true;
}

void ResponsesReader::read_root(std::string_view key, Value& value) {
  if (key == "type") {
    type_ = text_of(value);
  } else if (key == "delta") {
    delta_ = text_of(value);
    if (delta_.empty())
      each_field(value, [this](std::string_view inner, Value& field) {
        if (inner == "text" || inner == "content") delta_ = text_of(field);
      });
  } else if (key == "item") {
    read_output(value);
  } else if (key == "logprobs") {
    logprobs_ = elements_of(value);
  } else if (key == "response") {
    each_field(value, [this](std::string_view inner, Value& field) { read_response(inner, field); });
  } else if (key == "text" || key == "refusal" || key == "arguments" || key == "input") {
    text_ = text_of(value);
  } else if (key == "part") {
    read_part(value, TokenKind::content);
  } else {
    read_response(key, value);
  }
}

void ResponsesReader::read_response(std::string_view key, Value& value) {
  if (key == "usage") {
    read_usage(value);
  } else if (key == "status") {
    status_ = text_of(value);
  } else if (key == "output") {
    each_element(value, [this](Value& item) { read_output(item); });
  } else if (key == "output_text") {
    output_text_ = text_of(value);
  } else if (key == "incomplete_details") {
    each_field(value, [this](std::string_view inner, Value& field) {
      if (inner == "reason") reason_ = text_of(field);
    });
  } else if (key == "error") {
    read_error(value);
  } else if (key == "model") {
    chunk_.model = text_of(value);
  } else if (is_timing(key)) {
    read_timing(key, value);
  }
}

// An item of an answer: a message, reasoning, or a call, whose name comes before the first argument.
// Reasoning may come in a form that only the server can read.
void ResponsesReader::read_output(Value& value) {
  each_field(value, [this](std::string_view key, Value& field) {
    if (key == "content") {
      read_parts(field, TokenKind::content);
    } else if (key == "summary") {
      read_parts(field, TokenKind::reasoning);
    } else if (key == "name") {
      const std::size_t before = chunk_.texts.size();
      add_text(choice_zero(), TokenKind::tool_call, text_of(field));
      if (chunk_.texts.size() > before) chunk_.texts.back().name = true;
    } else if (key == "arguments" || key == "input") {
      add_text(choice_zero(), TokenKind::tool_call, text_of(field));
    } else if (key == "encrypted_content") {
      choice_zero().sealed = !text_of(field).empty();
    }
  });
}

void ResponsesReader::read_parts(Value& value, TokenKind kind) {
  if (kind_of(value) == '"') return add_text(choice_zero(), kind, text_of(value));
  each_element(value, [this, kind](Value& part) { read_part(part, kind); });
}

// {"type":"output_text","text":…}, {"type":"reasoning_text","text":…}, {"type":"refusal","refusal":…}
void ResponsesReader::read_part(Value& value, TokenKind kind) {
  std::string_view type, text, refusal;
  each_field(value, [&](std::string_view key, Value& field) {
    if (key == "type") type = text_of(field);
    if (key == "text") text = text_of(field);
    if (key == "refusal") refusal = text_of(field);
  });
  const bool reasoning = type.starts_with("reasoning") || type.starts_with("summary");
  add_text(choice_zero(), reasoning ? TokenKind::reasoning : kind, text);
  add_text(choice_zero(), TokenKind::refusal, refusal);
}

/// Which part of the answer a finished text, part, item or response repeats.
Repeat repeat_of(std::string_view type) {
  if (type == "response.output_item.done") return Repeat::item;
  if (type.ends_with("_part.done")) return Repeat::part;
  if (type.ends_with(".done")) return Repeat::text;
  return type.empty() || type.ends_with(".added") || type.ends_with(".delta") ? Repeat::none : Repeat::whole;
}

void ResponsesReader::take_event() {
  chunk_.is_delta = type_.starts_with("response.");
  chunk_.done = is_terminal(type_);
  if (type_.ends_with(".delta")) {
    if (delta_.empty()) delta_ = text_;
    if (delta_.empty()) return;
    choice_zero().logprobs = logprobs_;
    return add_text(choice_zero(), kind_of_delta(type_), delta_);
  }
  chunk_.repeat = repeat_of(type_);
  if (chunk_.repeat == Repeat::text) add_text(choice_zero(), kind_of_delta(type_), text_);
  if (chunk_.texts.empty() && !output_text_.empty())
    add_text(choice_zero(), TokenKind::content, output_text_);
  chunk_.has_error = chunk_.has_error || type_ == "error";
}

// Uses the finish reasons of chat completions, so that answers of different endpoints can be counted
// together.
void ResponsesReader::take_status() {
  const bool failed = status_ == "failed" || status_ == "cancelled" || type_ == "response.failed" ||
                      type_ == "response.cancelled";
  if (failed) {
    chunk_.has_error = true;
  } else if (status_ == "incomplete" || type_ == "response.incomplete") {
    const bool full = reason_.empty() || reason_ == "max_output_tokens" || reason_ == "max_tokens";
    choice_zero().finish_reason = full ? "length" : reason_;
  } else if (status_ == "completed" || type_ == "response.completed") {
    choice_zero().finish_reason = "stop";
  }
}

Json responses_part(const Json& part, bool of_assistant) {
  const std::string type = text_at(part, "type");
  if (type == "text")
    return {{"type", of_assistant ? "output_text" : "input_text"}, {"text", text_at(part, "text")}};
  const std::string image = image_url(part);
  return image.empty() ? part : Json{{"type", "input_image"}, {"image_url", image}};
}

// Tool calls and their results are items beside the messages.
void append_items(Json& out, const Json& message) {
  const std::string role = text_at(message, "role");
  if (role == "tool") {
    out.push_back({{"type", "function_call_output"},
                   {"call_id", text_at(message, "tool_call_id")},
                   {"output", plain_content(message)}});
    return;
  }
  const Json* calls = member(message, "tool_calls");
  if (role.empty()) return out.push_back(message);  // an item in the endpoint's own form
  if (calls == nullptr || !plain_content(message).empty()) {
    const auto form = [&](const Json& part) { return responses_part(part, role == "assistant"); };
    out.push_back({{"role", role}, {"content", content_in(message, form)}});
  }
  if (calls == nullptr) return;
  for (const auto& call : *calls) {
    const Json* function = member(call, "function");
    if (function == nullptr) continue;
    out.push_back({{"type", "function_call"},
                   {"call_id", text_at(call, "id")},
                   {"name", text_at(*function, "name")},
                   {"arguments", text_at(*function, "arguments")}});
  }
}

class ResponsesCodec final : public EndpointCodec {
 public:
  // OpenAI rejects a limit below 16.
  ResponsesCodec()
      : EndpointCodec(
            {.endpoint = Endpoint::responses, .limit_field = "max_output_tokens", .least_limit = 16}) {}

  void put_prompt(Json& body, const std::string& system, const std::string& prompt) const override {
    if (!system.empty()) body["instructions"] = system;
    body["input"] = Json::array({prompt});
  }
  void put_messages(Json& body, const std::string&, const Json& messages) const override {
    body["input"] = Json::array();
    for (const auto& message : messages) append_items(body["input"], message);
  }
  void put_logprobs(RequestShape& shape, std::uint32_t top) const override {
    put(shape, "include", Json::array({"message.output_text.logprobs"}));
    put(shape, "top_logprobs", top);
  }
  void put_reasoning(RequestShape& shape, const Answers& answers, std::string_view) const override {
    put(shape, "reasoning", {{"effort", effort_of(answers)}});
  }
  void put_tools(RequestShape& shape, const Json& tools) const override {
    put(shape, "tools", tools_in(tools, [](const Json& function) {
          Json form = {{"type", "function"}};
          merge(form, function);
          return form;
        }));
  }
  void put_schema(RequestShape& shape, const Json& schema) const override {
    Json format = {{"type", "json_schema"}};
    merge(format, schema);
    put(shape, "text", {{"format", format}});
  }
  void put_json_mode(RequestShape& shape) const override {
    put(shape, "text", {{"format", {{"type", "json_object"}}}});
  }
  std::unique_ptr<AnswerReader> make_reader() const override { return std::make_unique<ResponsesReader>(); }
};

}  // namespace

const EndpointCodec& responses_codec() {
  static const ResponsesCodec codec;
  return codec;
}

}  // namespace infermeter
