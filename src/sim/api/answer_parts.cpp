#include "sim/api/answer_parts.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>

#include "base/random.hpp"
#include "sim/api/tokenizer.hpp"

namespace infermeter::sim {
namespace {

double milliseconds(nanoseconds d) { return static_cast<double>(d.count()) / 1e6; }
double seconds(nanoseconds d) { return static_cast<double>(d.count()) / 1e9; }

// Times that some vendors add; Groq's total excludes the queue.
void append_extras(std::string& json, const Usage& usage) {
  const auto to = std::back_inserter(json);
  if (usage.cost) fmt::format_to(to, R"(,"cost":{})", *usage.cost);
  if (!usage.times) return;
  const auto& t = *usage.times;
  fmt::format_to(to, R"(,"queue_time":{},"prompt_time":{},"completion_time":{},"total_time":{})",
                 seconds(t.queue), seconds(t.prefill), seconds(t.decode), seconds(t.prefill + t.decode));
}

// Log probability of a word at a rank: from its hash, −0.5 on average, and one less per rank.
double logprob(std::string_view word, std::uint32_t rank) {
  const double share = static_cast<double>(mix64(hash_bytes(word)) % 1000) / 1000;
  return -share - rank;
}

// Rank 0 is the word itself; higher ranks are other words of the vocabulary.
std::string_view alternative(std::string_view word, std::uint32_t rank) {
  if (rank == 0) return word;
  const auto words = one_token_words();
  return words[(hash_bytes(word) + rank) % words.size()];
}

void append_bytes(std::string& out, std::string_view word) {
  for (std::size_t i = 0; i < word.size(); ++i) {
    if (i > 0) out += ',';
    const fmt::format_int byte(static_cast<unsigned char>(word[i]));
    out.append(byte.data(), byte.size());
  }
}

void append_entry(std::string& out, std::string_view word, std::string_view shown, std::uint32_t rank) {
  fmt::format_to(std::back_inserter(out), R"({{"token":"{}","logprob":{:.4f},"bytes":[)", shown,
                 logprob(word, rank));
  append_bytes(out, shown);
  out += ']';
}

}  // namespace

std::string usage_json(const Usage& usage) {
  std::string json =
      fmt::format(R"({{"prompt_tokens":{},"total_tokens":{},"completion_tokens":{})", usage.prompt_tokens,
                  usage.prompt_tokens + usage.completion_tokens, usage.completion_tokens);
  const auto to = std::back_inserter(json);
  if (usage.cached_tokens)
    fmt::format_to(to, R"(,"prompt_tokens_details":{{"cached_tokens":{}}})", *usage.cached_tokens);
  if (usage.reasoning_tokens)
    fmt::format_to(to, R"(,"completion_tokens_details":{{"reasoning_tokens":{}}})", *usage.reasoning_tokens);
  append_extras(json, usage);
  return json + "}";
}

std::string responses_usage_json(const Usage& usage) {
  std::string json = fmt::format(R"({{"input_tokens":{})", usage.prompt_tokens);
  const auto to = std::back_inserter(json);
  if (usage.cached_tokens)
    fmt::format_to(to, R"(,"input_tokens_details":{{"cached_tokens":{}}})", *usage.cached_tokens);
  fmt::format_to(to,
                 R"(,"output_tokens":{},"output_tokens_details":{{"reasoning_tokens":{}}},"total_tokens":{})",
                 usage.completion_tokens, usage.reasoning_tokens.value_or(0),
                 usage.prompt_tokens + usage.completion_tokens);
  append_extras(json, usage);
  return json + "}";
}

std::string messages_usage_json(const Usage& usage) {
  const std::uint32_t cached = usage.cached_tokens.value_or(0);
  std::string json = fmt::format(
      R"({{"input_tokens":{},"cache_creation_input_tokens":0,"cache_read_input_tokens":{},"output_tokens":{})",
      usage.prompt_tokens - cached, cached, usage.completion_tokens);
  append_extras(json, usage);
  return json + "}";
}

std::string embeddings_usage_json(const Usage& usage) {
  std::string json = fmt::format(R"({{"prompt_tokens":{0},"total_tokens":{0})", usage.prompt_tokens);
  append_extras(json, usage);
  return json + "}";
}

std::string timing_json(const RequestTiming& timing) {
  const double decode = milliseconds(timing.decode);
  const bool several = timing.output_tokens > 1 && decode > 0;
  const std::string itl = several ? fmt::format("{:.6f}", decode / (timing.output_tokens - 1)) : "null";
  const std::string speed =
      several ? fmt::format("{:.6f}", (timing.output_tokens - 1) / decode * 1e3) : "null";
  return fmt::format(
      R"({{"time_to_first_token_ms":{:.6f},"generation_time_ms":{:.6f},"queue_time_ms":{:.6f},"mean_itl_ms":{},"tokens_per_second":{}}})",
      milliseconds(timing.prefill), decode, milliseconds(timing.queue), itl, speed);
}

void append_logprob_list(std::string& out, std::span<const std::string_view> words, std::uint32_t top) {
  out += '[';
  for (std::size_t i = 0; i < words.size(); ++i) {
    if (i > 0) out += ',';
    append_entry(out, words[i], words[i], 0);
    out += R"(,"top_logprobs":[)";
    for (std::uint32_t rank = 0; rank < top; ++rank) {
      if (rank > 0) out += ',';
      append_entry(out, words[i], alternative(words[i], rank), rank);
      out += '}';
    }
    out += "]}";
  }
  out += ']';
}

void append_completion_logprobs(std::string& out, std::span<const std::string_view> words, std::uint32_t top,
                                std::size_t offset) {
  std::string offsets, logprobs, tokens, tops;
  for (const auto word : words) {
    const std::string_view comma = tokens.empty() ? "" : ",";
    fmt::format_to(std::back_inserter(offsets), "{}{}", comma, offset);
    fmt::format_to(std::back_inserter(logprobs), "{}{:.4f}", comma, logprob(word, 0));
    fmt::format_to(std::back_inserter(tokens), "{}\"{}\"", comma, word);
    fmt::format_to(std::back_inserter(tops), "{}{{", comma);
    for (std::uint32_t rank = 0; rank < std::max(top, 1U); ++rank)
      fmt::format_to(std::back_inserter(tops), "{}\"{}\":{:.4f}", rank > 0 ? "," : "",
                     alternative(word, rank), logprob(word, rank));
    tops += '}';
    offset += word.size();
  }
  fmt::format_to(std::back_inserter(out),
                 R"({{"text_offset":[{}],"token_logprobs":[{}],"tokens":[{}],"top_logprobs":[{}]}})", offsets,
                 logprobs, tokens, tops);
}

}  // namespace infermeter::sim
