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

constexpr std::uint32_t kTile = 28;  // pixels
constexpr ImageSize kUnseen{512, 512};

std::uint32_t byte_at(std::string_view bytes, std::size_t i) { return static_cast<unsigned char>(bytes[i]); }

std::uint32_t big_endian(std::string_view bytes, std::size_t at, std::size_t count) {
  std::uint32_t value = 0;
  for (std::size_t i = 0; i < count; ++i) value = value << 8U | byte_at(bytes, at + i);
  return value;
}

// Reads segments by their lengths until the frame header (SOF0 … SOF15 without DHT, JPG and DAC).
std::optional<ImageSize> jpeg_size(std::string_view bytes) {
  std::size_t at = 2;
  while (at + 9 <= bytes.size() && byte_at(bytes, at) == 0xFF) {
    const std::uint32_t marker = byte_at(bytes, at + 1);
    const bool frame = marker >= 0xC0 && marker <= 0xCF && marker != 0xC4 && marker != 0xC8 && marker != 0xCC;
    if (frame) return ImageSize{big_endian(bytes, at + 7, 2), big_endian(bytes, at + 5, 2)};
    at += 2 + big_endian(bytes, at + 2, 2);
  }
  return std::nullopt;
}

Tokens tiles(ImageSize size, std::uint64_t content) {
  const auto along = [](std::uint32_t pixels) { return (pixels + kTile - 1) / kTile; };
  Tokens tokens;
  const std::uint64_t count = std::uint64_t{along(size.width)} * along(size.height);
  for (std::uint64_t i = 0; i < count; ++i)
    tokens.push_back(kSpecialIds +
                     static_cast<std::uint32_t>(mix64(content + i) % (kVocabulary - kSpecialIds)));
  return tokens;
}

int sextet(char c) {
  if (c >= 'A' && c <= 'Z') return c - 'A';
  if (c >= 'a' && c <= 'z') return c - 'a' + 26;
  if (c >= '0' && c <= '9') return c - '0' + 52;
  if (c == '+' || c == '-') return 62;
  return c == '/' || c == '_' ? 63 : -1;
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

std::optional<ImageSize> image_size(std::string_view bytes) {
  constexpr std::string_view kPng{"\x89PNG\r\n\x1a\n", 8};
  std::optional<ImageSize> size;
  if (bytes.starts_with(kPng) && bytes.size() >= 24)
    size = ImageSize{big_endian(bytes, 16, 4), big_endian(bytes, 20, 4)};
  if (bytes.starts_with("\xFF\xD8")) size = jpeg_size(bytes);
  if (bytes.starts_with("GIF8") && bytes.size() >= 10)
    size =
        ImageSize{byte_at(bytes, 6) | byte_at(bytes, 7) << 8U, byte_at(bytes, 8) | byte_at(bytes, 9) << 8U};
  constexpr std::uint32_t kMostSide = 16'384;
  const bool sane =
      size && size->width > 0 && size->height > 0 && size->width <= kMostSide && size->height <= kMostSide;
  return sane ? size : std::nullopt;
}

std::string from_base64(std::string_view text) {
  std::string bytes;
  bytes.reserve(text.size() / 4 * 3);
  std::uint32_t bits = 0;
  int held = 0;
  for (const char c : text) {
    const int value = sextet(c);
    if (value < 0) break;
    bits = bits << 6U | static_cast<std::uint32_t>(value);
    if ((held += 6) < 8) continue;
    held -= 8;
    bytes += static_cast<char>(bits >> static_cast<unsigned>(held) & 0xFFU);
  }
  return bytes;
}

std::optional<Tokens> image_tokens_of_base64(std::string_view base64) {
  const auto size = image_size(from_base64(base64));
  if (!size) return std::nullopt;
  return tiles(*size, hash_bytes(base64));
}

std::optional<Tokens> image_tokens_of_url(std::string_view url) {
  if (!url.starts_with("data:")) return tiles(kUnseen, hash_bytes(url));
  const auto comma = url.find(',');
  if (comma == std::string_view::npos) return std::nullopt;
  return image_tokens_of_base64(url.substr(comma + 1));
}

}  // namespace infermeter::sim
