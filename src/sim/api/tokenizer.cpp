#include "sim/api/tokenizer.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "base/random.hpp"

namespace infermeter::sim {
namespace {

constexpr std::size_t kBlockTokens = 16;     // vLLM's default KV block
constexpr std::size_t kLongestPart = 12;     // bytes: text without spaces still has about 4 bytes per token
constexpr std::uint32_t kSpecialIds = 1000;  // smaller ids: special tokens; larger ids: pieces of words
constexpr std::uint32_t kVocabulary = 128'000;

enum Special : std::uint32_t { start_of_text = 1, start_of_message = 2, end_of_message = 3, newline = 10 };

bool is_space(char c) { return c == ' ' || c == '\t' || c == '\r' || c == '\n'; }

// 11/16 of the words are one token, 3/16 two, 1/16 three, 1/16 four: 1.5 tokens per word on average.
std::size_t tokens_of_part(std::uint64_t hash, std::size_t bytes) {
  const std::uint64_t sixteenth = mix64(hash) % 16;
  const std::size_t count = sixteenth < 11 ? 1 : sixteenth < 14 ? 2 : sixteenth < 15 ? 3 : 4;
  return std::min(count, bytes);
}

void append_part(std::string_view part, Tokens& out) {
  const std::uint64_t hash = hash_bytes(part);
  const std::size_t count = tokens_of_part(hash, part.size());
  for (std::size_t i = 0; i < count; ++i)
    out.push_back(kSpecialIds + static_cast<std::uint32_t>(mix64(hash + i) % (kVocabulary - kSpecialIds)));
}

std::uint32_t role_token(std::string_view role) {
  return 16 + static_cast<std::uint32_t>(hash_bytes(role) % (kSpecialIds - 16));
}

void open_message(std::string_view role, Tokens& out) {
  out.insert(out.end(), {start_of_message, role_token(role), newline});
}

constexpr std::array<std::string_view, 112> kWords{
    "the",    "a",      "of",    "and",   "to",    "in",      "is",      "it",     "that",   "for",
    "was",    "on",     "are",   "as",    "with",  "his",     "they",    "at",     "be",     "this",
    "from",   "have",   "or",    "one",   "had",   "by",      "word",    "but",    "not",    "what",
    "all",    "were",   "we",    "when",  "your",  "can",     "said",    "there",  "use",    "each",
    "which",  "she",    "do",    "how",   "their", "if",      "will",    "up",     "other",  "about",
    "out",    "many",   "then",  "them",  "these", "so",      "some",    "her",    "would",  "make",
    "like",   "him",    "into",  "time",  "has",   "look",    "two",     "more",   "write",  "go",
    "see",    "number", "no",    "way",   "could", "people",  "my",      "than",   "first",  "water",
    "been",   "call",   "who",   "oil",   "its",   "now",     "find",    "long",   "down",   "day",
    "did",    "get",    "come",  "made",  "may",   "part",    "light",   "river",  "stone",  "paper",
    "answer", "model",  "train", "field", "green", "morning", "between", "street", "window", "garden",
    "music",  "night"};

std::vector<std::string> find_one_token_words() {
  std::vector<std::string> found;
  for (const auto word : kWords) {
    if (tokens_of_part(hash_bytes(word), word.size()) == 1) found.push_back(fmt::format(" {}", word));
  }
  return found;
}

}  // namespace

void append_tokens(std::string_view text, Tokens& out) {
  std::size_t i = 0;
  while (i < text.size()) {
    if (is_space(text[i])) {
      const bool line_ended = text[i] == '\n';
      while (i < text.size() && (line_ended ? text[i] == '\n' : is_space(text[i]) && text[i] != '\n')) ++i;
      if (line_ended) out.push_back(newline);
      continue;
    }
    const std::size_t begin = i;
    while (i < text.size() && !is_space(text[i]) && i - begin < kLongestPart) ++i;
    append_part(text.substr(begin, i - begin), out);
  }
}

Tokens tokenize_prompt(std::string_view text, bool add_special_tokens) {
  Tokens tokens;
  tokens.reserve(text.size() / 3 + 1);
  if (add_special_tokens) tokens.push_back(start_of_text);
  append_tokens(text, tokens);
  return tokens;
}

Tokens tokenize_chat(std::span<const ChatMessage> messages, bool add_generation_prompt) {
  Tokens tokens{start_of_text};
  for (const auto& message : messages) {
    open_message(message.role, tokens);
    tokens.insert(tokens.end(), message.images.begin(), message.images.end());
    append_tokens(message.content, tokens);
    tokens.push_back(end_of_message);
  }
  if (add_generation_prompt) open_message("assistant", tokens);
  return tokens;
}

std::vector<std::uint64_t> block_hashes(std::span<const std::uint32_t> tokens) {
  std::vector<std::uint64_t> hashes;
  hashes.reserve(tokens.size() / kBlockTokens);
  std::uint64_t chain = 0;
  for (std::size_t i = 0; i + kBlockTokens <= tokens.size(); i += kBlockTokens) {
    for (std::size_t j = i; j < i + kBlockTokens; ++j) chain = mix64(chain ^ tokens[j]);
    hashes.push_back(chain);
  }
  return hashes;
}

std::span<const std::string> one_token_words() {
  static const std::vector<std::string> words = find_one_token_words();
  return words;
}

std::span<const std::uint32_t> one_token_ids() {
  static const Tokens ids = [] {
    Tokens found;
    for (const auto& word : one_token_words()) append_tokens(word, found);
    return found;
  }();
  return ids;
}

}  // namespace infermeter::sim
