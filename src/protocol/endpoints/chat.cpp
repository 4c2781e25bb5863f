// Chat completions and text completions; their answers differ little.
#include <algorithm>
#include <array>

#include "base/text.hpp"
#include "protocol/endpoints/codec.hpp"
#include "protocol/request/message_forms.hpp"
#include "protocol/stream/chunk_reader.hpp"

namespace infermeter {
namespace {

/// `choices[]` of chat and completions; also the native formats of Ollama and Cloudflare.
class ChatReader final : public ChunkReader {
  bool read_chunk(std::string_view json) override;
  void read_root(std::string_view key, Value& value);
  void read_native(std::string_view key, Value& value);
  void read_nested_times(std::string_view key, Value& value);
  void read_groq(Value& value);
  void read_choice(Value& value);
  void read_rest(ChunkChoice& choice, std::string_view key, Value& value);
  std::uint32_t read_logprobs(Value& value);
  void read_delta(ChunkChoice& choice, Value& value);
  void read_content(ChunkChoice& choice, Value& value, TokenKind kind);
  void read_part(ChunkChoice& choice, Value& value, TokenKind kind);
  void read_tool_call(ChunkChoice& choice, Value& value);
  void read_function(ChunkChoice& choice, Value& value);
  void read_audio(ChunkChoice& choice, Value& value);

  void read_other(ChunkChoice& choice, std::string_view key, Value& value);
  void read_base_resp(Value& value);
};

// Members of a delta that carry reasoning; the first one that is there counts, since some servers send the
// same text under two names.
constexpr std::array<std::string_view, 9> kReasoning{
    "reasoning_content", "reasoning",         "thinking", "reasoning_text", "reasoning_details",
    "thinking_blocks",   "reasoning_summary", "thought",  "thoughts"};
// Members of a delta that carry no text of the answer.
constexpr std::array<std::string_view, 13> kNoText{"role",
                                                   "id",
                                                   "name",
                                                   "type",
                                                   "token_id",
                                                   "obfuscation",
                                                   "annotations",
                                                   "tool_call_id",
                                                   "citations",
                                                   "stop_reason",
                                                   "signature",
                                                   "reasoning_id",
                                                   "reasoning_signature"};

bool ChatReader::read_chunk(std::string_view json) {
  if (!walk(json, [this](std::string_view key, Value& value) { read_root(key, value); })) return false;
  chunk_.ordinary = !chunk_.choices.empty() || chunk_.usage || chunk_.done || !chunk_.timings.empty();
  return true;
}

void ChatReader::read_root(std::string_view key, Value& value) {
  if (key == "choices") {
    each_element(value, [this](Value& choice) { read_choice(choice); });
  } else if (key == "id" || key == "created") {
    // in every event, of no use
  } else if (key == "usage") {
    read_usage(value);
  } else if (key == "model") {
    chunk_.model = text_of(value);
  } else if (key == "system_fingerprint") {
    chunk_.fingerprint = text_of(value);
  } else if (key == "object") {
    chunk_.has_error = chunk_.has_error || token_of(value) == "\"error\"";
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

// Ollama's native lines ({"message":{…},"done":false}) and Cloudflare's old {"response":"…"}.
void ChatReader::read_native(std::string_view key, Value& value) {
  if (key == "message") {
    if (kind_of(value) == '{') read_delta(choice_zero(), value);
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
    Usage& usage = *chunk_.usage;
    (key == "eval_count" ? usage.completion : usage.prompt) = told_count(usage, value);
  } else if (key == "base_resp") {
    read_base_resp(value);
  } else if (key == "nvext" || key == "result") {
    read_nested_times(key, value);
  }
}

// Dynamo's {"nvext":{"timing":{…}}}, whose other members are no times; LM Studio's {"result":{"stats":{…}}}
// in its `chat.end`.
void ChatReader::read_nested_times(std::string_view key, Value& value) {
  each_field(value, [this, key](std::string_view inner, Value& field) {
    if (key == "nvext" && inner == "timing") read_timing("nvext.timing", field);
    if (key == "result" && inner == "stats") read_timing(inner, field);
  });
}

// MiniMax: a status code beside, or instead of, the choices.
void ChatReader::read_base_resp(Value& value) {
  each_field(value, [this](std::string_view key, Value& field) {
    if (key == "status_code" && count_of(field).value_or(0) > 0) chunk_.has_error = true;
  });
}

void ChatReader::read_groq(Value& value) {
  each_field(value, [this](std::string_view key, Value& field) {
    if (key == "usage") read_usage(field);
    if (key == "error") read_error(field);
  });
}

void ChatReader::read_choice(Value& value) {
  if (!takes_choice()) return;
  ChunkChoice choice;
  const std::size_t first_text = chunk_.texts.size();
  std::string_view plain_text;
  each_field(value, [&](std::string_view key, Value& field) {
    if (key == "index") {
      choice.index = static_cast<std::uint32_t>(std::min<std::int64_t>(count_of(field).value_or(0), 255));
    } else if (key == "delta") {
      chunk_.is_delta = true;
      if (kind_of(field) == '"') plain_text = text_of(field);
      read_delta(choice, field);
    } else if (key == "text") {
      plain_text = text_of(field);
    } else if (key == "finish_reason") {
      choice.finish_reason = text_of(field);
    } else {
      read_rest(choice, key, field);
    }
  });
  // Together's completions send the text twice, here and in delta.content.
  if (!choice.visible && !plain_text.empty()) add_text(choice, TokenKind::content, plain_text);
  for (std::size_t i = first_text; i < chunk_.texts.size(); ++i) chunk_.texts[i].choice = choice.index;
  chunk_.choices.push_back(choice);
}

// The fields of a choice that most events do not have, or have empty.
void ChatReader::read_rest(ChunkChoice& choice, std::string_view key, Value& value) {
  if (key == "logprobs") {
    choice.logprobs = read_logprobs(value);
  } else if (key == "message") {
    if (choice.bears_tokens()) return;  // the delta beside it
    choice.message = kind_of(value) == '{';
    chunk_.message = chunk_.message || choice.message;
    read_delta(choice, value);
  } else if (key == "token_ids") {
    choice.token_ids = elements_of(value);
  } else if (key == "usage") {
    read_usage(value);
  } else if (key == "avg_decoded_tokens_per_iter") {
    read_timing(key, value);
  } else if (key == "error") {
    read_error(value);
  } else if (key == "content" || is_one_of(kReasoning, key)) {  // completions of reasoning models
    read_content(choice, value, key == "content" ? TokenKind::content : TokenKind::reasoning);
  }
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
    } else if (key == "reasoning_content" || key == "reasoning") {
      if (!choice.reasoning) read_content(choice, field, TokenKind::reasoning);
    } else if (key != "role") {
      read_other(choice, key, field);
    }
  });
}

// A member that carries something, but no text that is known, may be an answer's text in a new form.
void ChatReader::read_other(ChunkChoice& choice, std::string_view key, Value& value) {
  if (key == "refusal") {
    read_content(choice, value, TokenKind::refusal);
  } else if (key == "tool_calls") {
    if (kind_of(value) == '{') return read_tool_call(choice, value);
    each_element(value, [&](Value& call) { read_tool_call(choice, call); });
  } else if (key == "function_call") {
    read_function(choice, value);
  } else if (key == "audio") {
    read_audio(choice, value);
  } else if (is_one_of(kReasoning, key)) {
    if (!choice.reasoning) read_content(choice, value, TokenKind::reasoning);
  } else if (key == "text") {
    if (!choice.visible) read_content(choice, value, TokenKind::content);
  } else if (key == "error") {
    read_error(value);
  } else if (!is_one_of(kNoText, key)) {
    const char kind = kind_of(value);
    const auto token = token_of(value);
    choice.unknown = choice.unknown || (kind == '"' && token != "\"\"");
  }
}

// Text is a string, a part, a list of parts, or (Cloudflare) a bare number.
void ChatReader::read_content(ChunkChoice& choice, Value& value, TokenKind kind) {
  const char first = kind_of(value);
  if (first == '"') {
    add_text(choice, kind, text_of(value));
  } else if (first == '[') {
    each_element(value, [&](Value& part) { read_part(choice, part, kind); });
  } else if (first == '{') {
    read_part(choice, value, kind);
  } else if (first == '-' || (first >= '0' && first <= '9')) {
    add_text(choice, kind, token_of(value));
  }
}

// {"type":"text","text":…}; Mistral: {"type":"thinking","thinking":[{"type":"text","text":…}]}; Databricks:
// {"type":"reasoning","summary":[{"type":"summary_text","text":…}]}; reasoning that only the server can read:
// {"type":"reasoning.encrypted","data":…}.
void ChatReader::read_part(ChunkChoice& choice, Value& value, TokenKind kind) {
  if (kind_of(value) == '"') return add_text(choice, kind, text_of(value));
  std::string_view type, text;
  bool data = false;
  each_field(value, [&](std::string_view key, Value& field) {
    if (key == "type") {
      type = text_of(field);
    } else if (key == "text" && kind_of(field) == '"') {
      text = text_of(field);
    } else if (key == "text" || key == "content" || key == "output_text") {
      read_content(choice, field, kind);
    } else if (key == "refusal") {
      add_text(choice, TokenKind::refusal, text_of(field));
    } else if (key == "summary" || is_one_of(kReasoning, key)) {
      read_content(choice, field, TokenKind::reasoning);
    } else if (key == "data") {
      data = kind_of(field) == '"' && text_of(field) != "";
    }
  });
  const bool thought =
      type.starts_with("reasoning") || type.starts_with("thinking") || type.starts_with("summary");
  add_text(choice, thought ? TokenKind::reasoning : kind, text);
  choice.sealed = choice.sealed || (data && (type.ends_with("encrypted") || type.starts_with("redacted")));
}

void ChatReader::read_tool_call(ChunkChoice& choice, Value& value) {
  each_field(value, [&](std::string_view key, Value& field) {
    if (key == "function" || key == "custom") {
      read_function(choice, field);
    } else if (key == "name" || key == "arguments") {  // a call without an object of its own
      add_text(choice, TokenKind::tool_call, text_of(field));
    }
  });
}

void ChatReader::read_function(ChunkChoice& choice, Value& value) {
  each_field(value, [&](std::string_view key, Value& field) {
    if (key != "name" && key != "arguments" && key != "input") return;
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

bool takes_template_kwargs(std::string_view engine) {
  constexpr std::array<std::string_view, 5> engines{"vllm", "sglang", "tensorrt-llm", "llama.cpp",
                                                    "infermeter-sim"};
  return std::find(engines.begin(), engines.end(), engine) != engines.end();
}

/// Shared by chat and completions.
class CompletionsLike : public EndpointCodec {
 public:
  using EndpointCodec::EndpointCodec;
  void put_choices(RequestShape& shape, std::uint32_t choices) const override { put(shape, "n", choices); }
  void put_schema(RequestShape& shape, const Json& schema) const override {
    put(shape, "response_format", {{"type", "json_schema"}, {"json_schema", schema}});
  }
  void put_json_mode(RequestShape& shape) const override {
    put(shape, "response_format", {{"type", "json_object"}});
  }
  std::unique_ptr<AnswerReader> make_reader() const override { return std::make_unique<ChatReader>(); }
};

class ChatCodec final : public CompletionsLike {
 public:
  ChatCodec()
      : CompletionsLike({.endpoint = Endpoint::chat,
                         .asks_usage = true,
                         .limit_field = "max_tokens",
                         .newer_limit_field = "max_completion_tokens"}) {}

  void put_prompt(Json& body, const std::string& system, const std::string& prompt) const override {
    put_messages(body, system, Json::array({prompt}));
  }
  void put_messages(Json& body, const std::string& system, const Json& messages) const override {
    Json list = Json::array();
    if (!system.empty()) list.push_back({{"role", "system"}, {"content", system}});
    for (const auto& message : messages) list.push_back(message);
    body["messages"] = list;
  }
  void put_logprobs(RequestShape& shape, std::uint32_t top) const override {
    put(shape, "logprobs", true);
    put(shape, "top_logprobs", top);
  }
  void put_reasoning(RequestShape& shape, const Answers& answers, std::string_view engine) const override {
    const bool on = answers.thinking == Thinking::on, said = answers.thinking != Thinking::unsaid;
    const bool by_template = said && takes_template_kwargs(engine);
    const bool by_field = said && engine == "lmdeploy";
    const std::string effort = by_template || by_field ? answers.reasoning_effort : effort_of(answers);
    if (!effort.empty()) put(shape, "reasoning_effort", effort);
    if (by_template) put(shape, "chat_template_kwargs", {{"enable_thinking", on}, {"thinking", on}});
    if (by_field) put(shape, "enable_thinking", on);
  }
  void put_tools(RequestShape& shape, const Json& tools) const override { put(shape, "tools", tools); }
};

class CompletionsCodec final : public CompletionsLike {
 public:
  CompletionsCodec()
      : CompletionsLike({.endpoint = Endpoint::completions,
                         .takes_images = false,
                         .prompt_in_text = true,
                         .asks_usage = true,
                         .limit_field = "max_tokens",
                         .newer_limit_field = "max_completion_tokens"}) {}

  void put_prompt(Json& body, const std::string& system, const std::string& prompt) const override {
    body["prompt"] = system.empty() ? prompt : system + "\n\n" + prompt;
  }
  void append_prompt(std::string& out, const std::vector<Message>& messages) const override {
    for (std::size_t i = 0; i < messages.size(); ++i) {
      if (i > 0) out += "\\n\\n";
      append_json_escaped(out, messages[i].content);
    }
  }
  void put_messages(Json& body, const std::string& system, const Json& messages) const override {
    put_prompt(body, system, joined(messages));
  }
  void put_logprobs(RequestShape& shape, std::uint32_t top) const override { put(shape, "logprobs", top); }
};

}  // namespace

const EndpointCodec& chat_codec() {
  static const ChatCodec codec;
  return codec;
}

const EndpointCodec& completions_codec() {
  static const CompletionsCodec codec;
  return codec;
}

}  // namespace infermeter
