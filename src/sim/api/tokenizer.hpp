// The simulator's tokenizer: a word is 1 to 4 tokens by its hash, so that token counts differ from word
// counts as with real vocabularies, and a chat template adds tokens of its own. An image adds one token per
// tile of 28 × 28 pixels (as Qwen2-VL), partial tiles included. Pure; any thread.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace infermeter::sim {

using Tokens = std::vector<std::uint32_t>;

struct ChatMessage {
  std::string role, content;
  Tokens images = {};  // tokens of its images, which precede the text
};

/// Appends the tokens of `text` alone. Words end at white space; count(a + " " + b) = count(a) + count(b).
void append_tokens(std::string_view text, Tokens& out);

/// A raw prompt: one start token, then the text.
Tokens tokenize_prompt(std::string_view text, bool add_special_tokens = true);

/// A conversation through the template: a start token; 4 tokens around each message; 3 that open the answer.
Tokens tokenize_chat(std::span<const ChatMessage> messages, bool add_generation_prompt = true);

/// Chained hash of each full block of 16 tokens: equal where all tokens up to the block's end are equal.
std::vector<std::uint64_t> block_hashes(std::span<const std::uint32_t> tokens);

/// Words of one token each, with their leading space; plain ASCII that needs no JSON escaping.
std::span<const std::string> one_token_words();
/// The token of each of these words.
std::span<const std::uint32_t> one_token_ids();

struct ImageSize {
  std::uint32_t width = 0, height = 0;
};

/// The size of a PNG, JPEG or GIF from its first bytes; nothing for other data.
std::optional<ImageSize> image_size(std::string_view bytes);
/// Decodes base64 text up to the first character that is not base64.
std::string from_base64(std::string_view text);

/// The tokens of an image given as base64 of its bytes, equal for equal images; none if it is not an image.
std::optional<Tokens> image_tokens_of_base64(std::string_view base64);
/// The tokens of a `data:` URL; any other URL is not fetched and counts as 512 × 512 pixels.
std::optional<Tokens> image_tokens_of_url(std::string_view url);

}  // namespace infermeter::sim
