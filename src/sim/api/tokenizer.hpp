// The simulator's tokenizer: a word is 1 to 4 tokens by its hash, so that token counts differ from word
// counts as with real vocabularies, and a chat template adds tokens of its own. Pure; any thread.
#pragma once

#include <cstdint>
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

}  // namespace infermeter::sim
