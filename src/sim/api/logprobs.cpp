#include "sim/api/logprobs.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>

#include "base/random.hpp"
#include "sim/api/tokenizer.hpp"

namespace infermeter::sim {
namespace {

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
