#include "protocol/stream/chunk_reader.hpp"

namespace infermeter {
namespace {

/// What a delta of this event carries. Types beyond those known (code, custom tools) are calls of tools.
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

}  // namespace

bool ResponsesReader::read(std::string_view json) {
  chunk_.clear();
  type_ = delta_ = item_name_ = status_ = reason_ = code_ = {};
  logprobs_ = 0;
  if (!walk(json, [this](std::string_view key, Value& value) { read_root(key, value); })) return false;
  take_event();
  take_status();
  return true;
}

void ResponsesReader::read_root(std::string_view key, Value& value) {
  if (key == "type") {
    type_ = text_of(value);
  } else if (key == "delta") {
    delta_ = text_of(value);
  } else if (key == "item") {
    read_item(value);
  } else if (key == "logprobs") {
    logprobs_ = elements_of(value);
  } else if (key == "response") {
    // The terminal event repeats the whole output here: it came before, and is passed over.
    each_field(value, [this](std::string_view inner, Value& field) { read_response(inner, field); });
  } else if (key == "output") {
    each_element(value, [this](Value& item) { read_output(item); });
  } else if (key == "message") {
    chunk_.message = text_of(value);
  } else if (key == "code") {
    code_ = text_of(value);
  } else {
    read_response(key, value);
  }
}

void ResponsesReader::read_response(std::string_view key, Value& value) {
  if (key == "usage") {
    read_usage(value);
  } else if (key == "status") {
    status_ = text_of(value);
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

// The name of a function that is to be called comes with its item, before the first argument.
void ResponsesReader::read_item(Value& value) {
  each_field(value, [this](std::string_view key, Value& field) {
    if (key == "name") item_name_ = text_of(field);
  });
}

// An item of a whole answer: a message, reasoning, or a call.
void ResponsesReader::read_output(Value& value) {
  each_field(value, [this](std::string_view key, Value& field) {
    if (key == "content") {
      read_parts(field, TokenKind::content);
    } else if (key == "summary") {
      read_parts(field, TokenKind::reasoning);
    } else if (key == "name" || key == "arguments") {
      add_text(choice_zero(), TokenKind::tool_call, text_of(field));
    }
  });
}

// {"type":"output_text","text":…}, {"type":"reasoning_text","text":…}, {"type":"refusal","refusal":…}
void ResponsesReader::read_parts(Value& value, TokenKind kind) {
  each_element(value, [this, kind](Value& part) {
    std::string_view type, text, refusal;
    each_field(part, [&](std::string_view key, Value& field) {
      if (key == "type") type = text_of(field);
      if (key == "text") text = text_of(field);
      if (key == "refusal") refusal = text_of(field);
    });
    const bool reasoning = kind == TokenKind::reasoning || type == "reasoning_text";
    add_text(choice_zero(), reasoning ? TokenKind::reasoning : kind, text);
    add_text(choice_zero(), TokenKind::refusal, refusal);
  });
}

void ResponsesReader::take_event() {
  chunk_.is_delta = type_.starts_with("response.");
  chunk_.done = is_terminal(type_);
  if (type_.ends_with(".delta") && !delta_.empty()) {
    choice_zero().logprobs = logprobs_;
    add_text(choice_zero(), kind_of_delta(type_), delta_);
  } else if (type_ == "response.output_item.added" && !item_name_.empty()) {
    add_text(choice_zero(), TokenKind::tool_call, item_name_);
  } else if (type_ == "error" && !chunk_.has_error) {
    chunk_.has_error = true;
    chunk_.error = chunk_.message.empty() ? code_ : chunk_.message;
  }
}

// In the words of chat completions, so that answers of different endpoints can be counted together.
void ResponsesReader::take_status() {
  const bool failed = status_ == "failed" || status_ == "cancelled" || type_ == "response.failed" ||
                      type_ == "response.cancelled";
  if (failed) {
    if (!chunk_.has_error) chunk_.error = status_.empty() ? type_ : status_;
    chunk_.has_error = true;
  } else if (status_ == "completed" || type_ == "response.completed") {
    choice_zero().finish_reason = "stop";
  } else if (status_ == "incomplete" || type_ == "response.incomplete") {
    const bool full = reason_.empty() || reason_ == "max_output_tokens";
    choice_zero().finish_reason = full ? "length" : reason_;
  }
}

}  // namespace infermeter
