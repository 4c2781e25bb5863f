#include <algorithm>

#include "protocol/stream/chunk_reader.hpp"

namespace infermeter {

bool ChatReader::read(std::string_view json) {
  chunk_.clear();
  flat_error_ = false;
  if (!walk(json, [this](std::string_view key, Value& value) { read_root(key, value); })) return false;
  if (flat_error_ && !chunk_.has_error) {
    chunk_.has_error = true;
    chunk_.error = chunk_.message;
  }
  return true;
}

void ChatReader::read_root(std::string_view key, Value& value) {
  if (key == "choices") {
    each_element(value, [this](Value& choice) { read_choice(choice); });
  } else if (key == "usage") {
    read_usage(value);
  } else if (key == "model") {
    chunk_.model = text_of(value);
  } else if (key == "system_fingerprint") {
    chunk_.fingerprint = text_of(value);
  } else if (key == "object") {
    flat_error_ = token_of(value) == "\"error\"";
  } else if (key == "error") {
    read_error(value);
  } else if (key == "x_groq") {
    read_groq(value);
  } else if (is_timing(key)) {
    read_timing(key, value);
  } else {
    read_native(key, value);
  }
}

// Ollama's own lines ({"message":{…},"done":false}) and Cloudflare's old {"response":"…"}; the last message
// string of an error object ends here too.
void ChatReader::read_native(std::string_view key, Value& value) {
  if (key == "message") {
    if (kind_of(value) == '{') {
      read_delta(choice_zero(), value);
    } else {
      chunk_.message = text_of(value);
    }
  } else if (key == "response") {
    const auto piece = text_of(value);
    if (!piece.empty()) add_text(choice_zero(), TokenKind::content, piece);
  } else if (key == "done") {
    chunk_.done = token_of(value) == "true";
    chunk_.is_delta = chunk_.is_delta || token_of(value) == "false";
  } else if (key == "done_reason") {
    choice_zero().finish_reason = text_of(value);
  } else if (key == "eval_count" || key == "prompt_eval_count") {
    if (!chunk_.usage) chunk_.usage.emplace();
    (key == "eval_count" ? chunk_.usage->completion : chunk_.usage->prompt) = count_of(value);
  }
}

void ChatReader::read_groq(Value& value) {
  each_field(value, [this](std::string_view key, Value& field) {
    if (key == "usage") read_usage(field);
    if (key == "error") read_error(field);
  });
}

void ChatReader::read_choice(Value& value) {
  ChunkChoice choice;
  const std::size_t first_text = chunk_.texts.size();
  std::string_view plain_text;
  each_field(value, [&](std::string_view key, Value& field) {
    if (key == "index") {
      choice.index = static_cast<std::uint32_t>(std::min<std::int64_t>(count_of(field).value_or(0), 255));
    } else if (key == "delta" || key == "message") {
      chunk_.is_delta = chunk_.is_delta || key == "delta";
      read_delta(choice, field);
    } else if (key == "text") {
      plain_text = text_of(field);
    } else if (key == "finish_reason") {
      choice.finish_reason = text_of(field);
    } else if (key == "logprobs") {
      choice.logprobs = read_logprobs(field);
    } else if (key == "token_ids") {
      choice.token_ids = elements_of(field);
    } else if (key == "usage") {
      read_usage(field);
    } else if (key == "avg_decoded_tokens_per_iter") {
      read_timing(key, field);
    }
  });
  // Together's completions carry the text twice, here and in delta.content.
  if (!choice.visible && !plain_text.empty()) add_text(choice, TokenKind::content, plain_text);
  for (std::size_t i = first_text; i < chunk_.texts.size(); ++i) chunk_.texts[i].choice = choice.index;
  chunk_.choices.push_back(choice);
}

// Chat: {"content":[…]}; completions: {"tokens":[…]}.
std::uint32_t ChatReader::read_logprobs(Value& value) {
  std::uint32_t count = 0;
  each_field(value, [&](std::string_view key, Value& field) {
    if (key == "content" || key == "tokens") count = elements_of(field);
  });
  return count;
}

void ChatReader::read_delta(ChunkChoice& choice, Value& value) {
  each_field(value, [&](std::string_view key, Value& field) {
    if (key == "content") {
      read_content(choice, field, TokenKind::content);
    } else if (key == "reasoning_content" || key == "reasoning" || key == "thinking") {
      // vLLM once sent the same text under both names.
      if (!choice.reasoning) read_content(choice, field, TokenKind::reasoning);
    } else if (key == "refusal") {
      read_content(choice, field, TokenKind::refusal);
    } else if (key == "tool_calls") {
      each_element(field, [&](Value& call) { read_tool_call(choice, call); });
    } else if (key == "function_call") {
      read_function(choice, field);
    } else if (key == "audio") {
      read_audio(choice, field);
    }
  });
}

// A string, a list of parts, or (Cloudflare) a bare number.
void ChatReader::read_content(ChunkChoice& choice, Value& value, TokenKind kind) {
  const char first = kind_of(value);
  if (first == '"') {
    add_text(choice, kind, text_of(value));
  } else if (first == '[') {
    each_element(value, [&](Value& part) { read_part(choice, part, kind); });
  } else if (first == '-' || (first >= '0' && first <= '9')) {
    add_text(choice, kind, token_of(value));
  }
}

// Mistral: {"type":"thinking","thinking":[{"type":"text","text":"…"}]}.
void ChatReader::read_part(ChunkChoice& choice, Value& value, TokenKind kind) {
  if (kind_of(value) == '"') return add_text(choice, kind, text_of(value));
  each_field(value, [&](std::string_view key, Value& field) {
    if (key == "text") add_text(choice, kind, text_of(field));
    if (key == "refusal") add_text(choice, TokenKind::refusal, text_of(field));
    if (key != "thinking") return;
    if (kind_of(field) == '"') add_text(choice, TokenKind::reasoning, text_of(field));
    each_element(field, [&](Value& inner) { read_part(choice, inner, TokenKind::reasoning); });
  });
}

void ChatReader::read_tool_call(ChunkChoice& choice, Value& value) {
  each_field(value, [&](std::string_view key, Value& field) {
    if (key == "function") read_function(choice, field);
  });
}

void ChatReader::read_function(ChunkChoice& choice, Value& value) {
  each_field(value, [&](std::string_view key, Value& field) {
    if (key != "name" && key != "arguments") return;
    std::string_view json;
    Object object;
    // Ollama's own route sends the arguments as an object.
    const bool is_object = open(field, object, json);
    add_text(choice, TokenKind::tool_call, is_object ? json : text_of(field));
  });
}

void ChatReader::read_audio(ChunkChoice& choice, Value& value) {
  each_field(value, [&](std::string_view key, Value& field) {
    if (key == "data" || key == "transcript") add_text(choice, TokenKind::audio, text_of(field));
  });
}

}  // namespace infermeter
