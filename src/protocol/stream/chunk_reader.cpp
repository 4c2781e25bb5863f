#include "protocol/stream/chunk_reader.hpp"

#include <algorithm>
#include <array>

#include "protocol/stream/answer_bounds.hpp"

// Each object is walked once, whatever the order of its fields; a value of an unexpected type is skipped
// (servers often fill in null), and only malformed JSON is an error.
namespace infermeter {
namespace {

// Section 2 of STREAMING.md: times that servers measure themselves.
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
constexpr std::array<std::string_view, 4> kCacheReads{"cached_tokens", "prompt_cache_hit_tokens",
                                                      "cache_read_input_tokens", "num_cached_tokens"};
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

}  // namespace

void Chunk::clear() {
  choices.clear();
  texts.clear();
  timings.clear();
  usage.reset();
  cached_tokens.reset();
  timed.reset();
  items.reset();
  usage_json = model = fingerprint = {};
  repeat = Repeat::none;
  message = has_error = ordinary = is_delta = done = usage_opens = false;
}

const Chunk* ChunkReader::read(std::string_view json) {
  chunk_.clear();
  if (!read_chunk(json)) return nullptr;
  chunk_.ordinary = chunk_.ordinary && !chunk_.has_error;
  return &chunk_;
}

bool ChunkReader::is_timing(std::string_view key) { return is_one_of(kTopLevelTimings, key); }

void ChunkReader::read_fact(std::string_view key, Value& value) {
  if (key == "usage") {
    read_usage(value);
  } else if (key == "model") {
    chunk_.model = text_of(value);
  } else if (key == "error") {
    read_error(value);
  } else if (is_timing(key)) {
    read_timing(key, value);
  }
}

// An object, a list, a text, a code, or true beside a message. null, false, 0, "", [] and {} are no error.
void ChunkReader::read_error(Value& value) {
  const auto token = token_of(value);
  const char kind = kind_of(value);
  bool error = false;
  if (kind == '{') {
    each_field(value, [&error](std::string_view, Value&) { error = true; });
  } else if (kind == '[') {
    error = elements_of(value) > 0;
  } else {
    error = token != "null" && token != "false" && token != "0" && token != "\"\"";
  }
  chunk_.has_error = chunk_.has_error || error;
}

void ChunkReader::read_usage(Value& value) {
  Usage usage;
  std::string_view json;
  Object object;
  if (!open(value, object, json)) return;
  each_field(object, [&](std::string_view key, Value& field) { read_usage_field(usage, key, field); });
  usage.odd_total = contradicts_total(usage);
  // Two objects in one event may each hold one of the counts.
  const bool better = replaces(usage, chunk_.usage);
  chunk_.usage = better ? continued(usage, chunk_.usage) : continued(*chunk_.usage, usage);
  if (better) chunk_.usage_json = json.substr(0, json.size() > kMostRawBytes ? 0 : json.size());
}

// Of several names of one count, some servers fill in one and leave 0 in the others.
void ChunkReader::read_larger(Usage& usage, std::optional<std::int64_t>& kept, Value& value) {
  kept = std::max(kept, told_count(usage, value));  // an empty optional compares less than any number
}

std::optional<std::int64_t> ChunkReader::told_count(Usage& usage, Value& value) {
  const auto token = token_of(value);
  const auto text = trim(token, "\"");
  const auto count = count_of(value);
  if (count || text.empty()) return count;
  const bool number = text.front() == '-' || (text.front() >= '0' && text.front() <= '9');
  usage.odd = usage.odd || number;
  return count;
}

void ChunkReader::read_usage_field(Usage& usage, std::string_view key, Value& value) {
  if (key == "prompt_tokens" || key == "input_tokens") {
    usage.prompt = told_count(usage, value);
  } else if (key == "completion_tokens" || key == "output_tokens") {
    usage.completion = told_count(usage, value);
  } else if (key == "total_tokens") {
    usage.total = told_count(usage, value);
  } else if (key == "reasoning_tokens" || key == "thinking_tokens") {
    read_larger(usage, usage.reasoning, value);
  } else if (key == "rejected_prediction_tokens") {
    usage.rejected_prediction = told_count(usage, value);
  } else if (is_one_of(kCacheReads, key)) {
    read_larger(usage, usage.cached, value);
  } else if (key == "cache_creation_input_tokens" || key == "cache_write_tokens") {
    read_larger(usage, usage.cache_written, value);
  } else if (key == "cost") {
    read_cost(usage, value);
  } else if (key.size() > 8 && key.substr(key.size() - 8) == "_details") {
    each_field(value, [&](std::string_view inner, Value& field) { read_usage_field(usage, inner, field); });
  } else if (is_one_of(kUsageTimings, key)) {
    read_timing(key, value);
  }
}

// A number (OpenRouter), or an object that contains the total (Perplexity).
void ChunkReader::read_cost(Usage& usage, Value& value) {
  if (kind_of(value) == '{') {
    each_field(value, [&](std::string_view key, Value& field) {
      if (key == "total_cost") read_cost(usage, field);
    });
    return;
  }
  double cost = 0;
  constexpr double most = 1e6;  // of one request, in any currency
  if (value.get_double().get(cost) != simdjson::SUCCESS) return;
  if (cost >= 0 && cost <= most) {
    usage.cost = cost;
  } else {
    usage.odd = true;
  }
}

void ChunkReader::read_timing(std::string_view key, Value& value) {
  std::string_view json;
  Object object;
  if (open(value, object, json)) {
    each_field(object, [&](std::string_view inner, Value& field) { read_timed_count(inner, field); });
  } else {
    json = token_of(value);
  }
  if (chunk_.timings.size() >= kMostTimings || json.size() > kMostRawBytes) return;
  if (!json.empty() && json.front() != '[' && json != "null") chunk_.timings.emplace_back(key, json);
}

// llama.cpp: prompt tokens that were in its cache, and where it sends no usage the other counts.
void ChunkReader::read_timed_count(std::string_view key, Value& value) {
  if (key == "cache_n" || key == "cache") {
    chunk_.cached_tokens = count_of(value);
  } else if (key == "prompt_n" || key == "predicted_n") {
    if (!chunk_.timed) chunk_.timed.emplace();
    Usage& timed = *chunk_.timed;
    (key == "prompt_n" ? timed.prompt : timed.completion) = told_count(timed, value);
  }
}

std::uint32_t ChunkReader::elements_of(Value& value) {
  std::uint32_t count = 0;
  each_element(value, [&](Value&) { ++count; });
  return count;
}

void ChunkReader::add_text(ChunkChoice& choice, TokenKind kind, std::string_view piece) {
  if (piece.empty() || chunk_.texts.size() >= kMostTexts) return;
  (kind == TokenKind::reasoning ? choice.reasoning : choice.visible) = true;
  chunk_.texts.push_back({choice.index, kind, piece});
}

ChunkChoice& ChunkReader::choice_zero() {
  if (chunk_.choices.empty()) chunk_.choices.emplace_back();
  return chunk_.choices.front();
}

}  // namespace infermeter
