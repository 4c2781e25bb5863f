#include "protocol/stream/chunk_reader.hpp"

namespace infermeter {

bool MessagesReader::read(std::string_view json) {
  chunk_.clear();
  type_ = {};
  if (!walk(json, [this](std::string_view key, Value& value) { read_root(key, value); })) return false;
  chunk_.is_delta = !type_.empty() && type_ != "message" && type_ != "error";
  chunk_.done = type_ == "message_stop";
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

// Fields of a message: of message_start's, or of a whole answer.
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

// A block, its beginning or a piece of it: which one it is shows in the names of its fields. A signature of
// thinking is no text.
void MessagesReader::read_block(Value& value) {
  each_field(value, [this](std::string_view key, Value& field) {
    if (key == "text") {
      add_text(choice_zero(), TokenKind::content, text_of(field));
    } else if (key == "thinking") {
      add_text(choice_zero(), TokenKind::reasoning, text_of(field));
    } else if (key == "partial_json" || key == "name") {
      add_text(choice_zero(), TokenKind::tool_call, text_of(field));
    } else if (key == "stop_reason") {
      read_stop(text_of(field));
    } else if (key == "input") {
      std::string_view json;
      Object object;
      // Empty at a block's beginning, where the pieces follow.
      if (open(field, object, json) && json != "{}") add_text(choice_zero(), TokenKind::tool_call, json);
    }
  });
}

// In the words of chat completions, so that answers of different endpoints can be counted together.
void MessagesReader::read_stop(std::string_view reason) {
  if (reason == "end_turn" || reason == "stop_sequence") reason = "stop";
  if (reason == "max_tokens" || reason == "model_context_window_exceeded") reason = "length";
  if (reason == "tool_use") reason = "tool_calls";
  if (reason == "refusal") reason = "content_filter";
  if (!reason.empty()) choice_zero().finish_reason = reason;
}

// What was read from the cache or written to it lies outside of input_tokens. The output tokens of
// message_start are those of an answer that has hardly begun: a stream cut short must not be counted by them.
void MessagesReader::settle_usage() {
  if (!chunk_.usage) return;
  auto& usage = *chunk_.usage;
  const std::int64_t cache = usage.cached.value_or(0) + usage.cache_written.value_or(0);
  if (usage.prompt || cache > 0) usage.prompt = usage.prompt.value_or(0) + cache;
  chunk_.usage_opens = type_ == "message_start";
  if (chunk_.usage_opens) usage.completion.reset();
}

}  // namespace infermeter
