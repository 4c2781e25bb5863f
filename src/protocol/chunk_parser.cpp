#include <algorithm>
#include <array>

#include "chunk.hpp"
#include "json_walk.hpp"

// Each object is walked once, in whatever order its fields come; a value of an unexpected type is passed over
// (servers fill with null freely), only malformed JSON is an error.
namespace infermeter {
namespace {

using Value = JsonWalk::Value;

// Section 2 of STREAMING.md: what servers measure of themselves.
constexpr std::array<std::string_view, 12> kTopLevelTimings{"timings",
                                                            "metrics",
                                                            "time_info",
                                                            "stats",
                                                            "perf_metrics",
                                                            "prompt_progress",
                                                            "output_token_metrics",
                                                            "total_duration",
                                                            "load_duration",
                                                            "prompt_eval_duration",
                                                            "eval_duration",
                                                            "meta_info"};
constexpr std::array<std::string_view, 14> kUsageTimings{"queue_time",
                                                         "prompt_time",
                                                         "completion_time",
                                                         "total_time",
                                                         "time_to_first_token",
                                                         "total_latency",
                                                         "completion_tokens_per_sec",
                                                         "completion_tokens_after_first_per_sec",
                                                         "completion_tokens_after_first_per_sec_first_ten",
                                                         "acceptance_rate",
                                                         "extra",
                                                         "prompt_tokens_per_sec",
                                                         "start_time",
                                                         "end_time"};

template <std::size_t N>
bool is_one_of(const std::array<std::string_view, N>& names, std::string_view name) {
  for (const auto candidate : names) {
    if (candidate == name) return true;
  }
  return false;
}

}  // namespace

struct ChunkParser::Json : private JsonWalk {
  Chunk chunk;

  const Chunk* parse(std::string_view json);

 private:
  void read_root(std::string_view key, Value& value);
  void read_native(std::string_view key, Value& value);
  void read_error(Value& value);
  void read_groq(Value& value);
  void read_usage(Value& value);
  void read_usage_field(Usage& usage, std::string_view key, Value& value);
  void read_timing(std::string_view key, Value& value);
  void read_choice(Value& value);
  std::uint32_t read_logprobs(Value& value);
  std::uint32_t elements_of(Value& value);
  void read_delta(ChunkChoice& choice, Value& value);
  void read_content(ChunkChoice& choice, Value& value, TokenKind kind);
  void read_part(ChunkChoice& choice, Value& value, TokenKind kind);
  void read_tool_call(ChunkChoice& choice, Value& value);
  void read_function(ChunkChoice& choice, Value& value);
  void read_audio(ChunkChoice& choice, Value& value);
  void add_text(ChunkChoice& choice, TokenKind kind, std::string_view piece);
  ChunkChoice& choice_zero();

  bool flat_error_ = false;
};

ChunkParserPtr make_chunk_parser() { return ChunkParserPtr(new ChunkParser); }
void ChunkParserDeleter::operator()(ChunkParser* parser) const { delete parser; }

ChunkParser::ChunkParser() : json_(std::make_unique<Json>()) {}
ChunkParser::~ChunkParser() = default;
const Chunk* ChunkParser::parse(std::string_view json) { return json_->parse(json); }

void Chunk::clear() {
  choices.clear();
  texts.clear();
  timings.clear();
  usage.reset();
  cached_tokens.reset();
  usage_json = error = message = model = fingerprint = {};
  has_error = is_delta = done = false;
}

const Chunk* ChunkParser::Json::parse(std::string_view json) {
  chunk.clear();
  flat_error_ = false;
  if (!walk(json, [this](std::string_view key, Value& value) { read_root(key, value); })) return nullptr;
  if (flat_error_ && !chunk.has_error) {
    chunk.has_error = true;
    chunk.error = chunk.message;
  }
  return &chunk;
}

void ChunkParser::Json::read_root(std::string_view key, Value& value) {
  if (key == "choices") {
    each_element(value, [this](Value& choice) { read_choice(choice); });
  } else if (key == "usage") {
    read_usage(value);
  } else if (key == "model") {
    chunk.model = text_of(value);
  } else if (key == "system_fingerprint") {
    chunk.fingerprint = text_of(value);
  } else if (key == "object") {
    flat_error_ = token_of(value) == "\"error\"";
  } else if (key == "error") {
    read_error(value);
  } else if (key == "x_groq") {
    read_groq(value);
  } else if (is_one_of(kTopLevelTimings, key)) {
    read_timing(key, value);
  } else {
    read_native(key, value);
  }
}

// Ollama's own lines ({"message":{…},"done":false}) and Cloudflare's old {"response":"…"}; the last message
// string of an error object ends here too.
void ChunkParser::Json::read_native(std::string_view key, Value& value) {
  if (key == "message") {
    if (kind_of(value) == '{') {
      read_delta(choice_zero(), value);
    } else {
      chunk.message = text_of(value);
    }
  } else if (key == "response") {
    const auto piece = text_of(value);
    if (!piece.empty()) add_text(choice_zero(), TokenKind::content, piece);
  } else if (key == "done") {
    chunk.done = token_of(value) == "true";
    chunk.is_delta = chunk.is_delta || token_of(value) == "false";
  } else if (key == "done_reason") {
    choice_zero().finish_reason = text_of(value);
  } else if (key == "eval_count" || key == "prompt_eval_count") {
    if (!chunk.usage) chunk.usage.emplace();
    (key == "eval_count" ? chunk.usage->completion : chunk.usage->prompt) = count_of(value);
  }
}

void ChunkParser::Json::read_error(Value& value) {
  const char kind = kind_of(value);
  if (kind == '"') {
    chunk.error = text_of(value);
    chunk.has_error = !chunk.error.empty();
    return;
  }
  Object object;
  if (!open(value, object, chunk.error)) return;  // null or false: none
  chunk.has_error = true;
  each_field(object, [this](std::string_view key, Value& field) {
    if (key != "message") return;
    const auto message = text_of(field);
    if (!message.empty()) chunk.error = message;
  });
}

void ChunkParser::Json::read_groq(Value& value) {
  each_field(value, [this](std::string_view key, Value& field) {
    if (key == "usage") read_usage(field);
    if (key == "error") read_error(field);
  });
}

void ChunkParser::Json::read_usage(Value& value) {
  Usage usage;
  std::string_view json;
  Object object;
  if (!open(value, object, json)) return;
  each_field(object, [&](std::string_view key, Value& field) { read_usage_field(usage, key, field); });
  if (!replaces(usage, chunk.usage)) return;
  chunk.usage = usage;
  chunk.usage_json = json;
}

void ChunkParser::Json::read_usage_field(Usage& usage, std::string_view key, Value& value) {
  if (key == "prompt_tokens" || key == "input_tokens") {
    usage.prompt = count_of(value);
  } else if (key == "completion_tokens" || key == "output_tokens") {
    usage.completion = count_of(value);
  } else if (key == "total_tokens") {
    usage.total = count_of(value);
  } else if (key == "reasoning_tokens") {
    const auto count = count_of(value);
    if (count.value_or(0) > usage.reasoning.value_or(0) || !usage.reasoning) usage.reasoning = count;
  } else if (key == "rejected_prediction_tokens") {
    usage.rejected_prediction = count_of(value);
  } else if (key == "cached_tokens" || key == "prompt_cache_hit_tokens" || key == "cache_read_input_tokens") {
    if (const auto count = count_of(value)) usage.cached = count;
  } else if (key.size() > 8 && key.substr(key.size() - 8) == "_details") {
    each_field(value, [&](std::string_view inner, Value& field) { read_usage_field(usage, inner, field); });
  } else if (is_one_of(kUsageTimings, key)) {
    read_timing(key, value);
  }
}

void ChunkParser::Json::read_timing(std::string_view key, Value& value) {
  std::string_view json;
  Object object;
  if (open(value, object, json)) {
    each_field(object, [&](std::string_view inner, Value& field) {
      // llama.cpp: tokens of the prompt that were in its cache.
      if (inner == "cache_n" || inner == "cache") chunk.cached_tokens = count_of(field);
    });
  } else {
    json = token_of(value);
  }
  if (!json.empty() && json.front() != '[' && json != "null") chunk.timings.emplace_back(key, json);
}

void ChunkParser::Json::read_choice(Value& value) {
  ChunkChoice choice;
  const std::size_t first_text = chunk.texts.size();
  std::string_view plain_text;
  each_field(value, [&](std::string_view key, Value& field) {
    if (key == "index") {
      choice.index = static_cast<std::uint32_t>(std::min<std::int64_t>(count_of(field).value_or(0), 255));
    } else if (key == "delta" || key == "message") {
      chunk.is_delta = chunk.is_delta || key == "delta";
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
  for (std::size_t i = first_text; i < chunk.texts.size(); ++i) chunk.texts[i].choice = choice.index;
  chunk.choices.push_back(choice);
}

// Chat: {"content":[…]}; completions: {"tokens":[…]}.
std::uint32_t ChunkParser::Json::read_logprobs(Value& value) {
  std::uint32_t count = 0;
  each_field(value, [&](std::string_view key, Value& field) {
    if (key == "content" || key == "tokens") count = elements_of(field);
  });
  return count;
}

std::uint32_t ChunkParser::Json::elements_of(Value& value) {
  std::uint32_t count = 0;
  each_element(value, [&](Value&) { ++count; });
  return count;
}

void ChunkParser::Json::read_delta(ChunkChoice& choice, Value& value) {
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
void ChunkParser::Json::read_content(ChunkChoice& choice, Value& value, TokenKind kind) {
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
void ChunkParser::Json::read_part(ChunkChoice& choice, Value& value, TokenKind kind) {
  if (kind_of(value) == '"') return add_text(choice, kind, text_of(value));
  each_field(value, [&](std::string_view key, Value& field) {
    if (key == "text") add_text(choice, kind, text_of(field));
    if (key == "refusal") add_text(choice, TokenKind::refusal, text_of(field));
    if (key != "thinking") return;
    if (kind_of(field) == '"') add_text(choice, TokenKind::reasoning, text_of(field));
    each_element(field, [&](Value& inner) { read_part(choice, inner, TokenKind::reasoning); });
  });
}

void ChunkParser::Json::read_tool_call(ChunkChoice& choice, Value& value) {
  each_field(value, [&](std::string_view key, Value& field) {
    if (key == "function") read_function(choice, field);
  });
}

void ChunkParser::Json::read_function(ChunkChoice& choice, Value& value) {
  each_field(value, [&](std::string_view key, Value& field) {
    if (key != "name" && key != "arguments") return;
    std::string_view json;
    Object object;
    // Ollama's own route sends the arguments as an object.
    const bool is_object = open(field, object, json);
    add_text(choice, TokenKind::tool_call, is_object ? json : text_of(field));
  });
}

void ChunkParser::Json::read_audio(ChunkChoice& choice, Value& value) {
  each_field(value, [&](std::string_view key, Value& field) {
    if (key == "data" || key == "transcript") add_text(choice, TokenKind::audio, text_of(field));
  });
}

void ChunkParser::Json::add_text(ChunkChoice& choice, TokenKind kind, std::string_view piece) {
  if (piece.empty()) return;
  (kind == TokenKind::reasoning ? choice.reasoning : choice.visible) = true;
  chunk.texts.push_back({choice.index, kind, piece});
}

ChunkChoice& ChunkParser::Json::choice_zero() {
  if (chunk.choices.empty()) chunk.choices.emplace_back();
  return chunk.choices.front();
}

}  // namespace infermeter
