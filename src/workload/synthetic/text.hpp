// The words that synthetic prompts and nonces are made of, and text of them with a known token count: from
// words of known token counts if there is a calibration, else from words and full stops of one token each.
// Pure; any thread.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "workload/synthetic/calibration.hpp"

namespace infermeter {

/// A power of two: nine random bits choose a word.
inline constexpr std::size_t kWordCount = 512;
inline constexpr unsigned kWordBits = 9;
static_assert(kWordCount == std::size_t{1} << kWordBits);

/// Common English words of three to six letters, in alphabetical order and part of the format: another list
/// gives other prompts for the same seed. Each is one token, alone and behind a space, in cl100k, o200k,
/// Llama 2, Llama 3 and Mistral (all 777 candidates were tried; 679 held).
extern const std::array<std::string_view, kWordCount> kWords;

/// Four short common words, so that its token count is constant: "lamp river stone cloud".
std::string make_nonce(std::uint64_t entropy);

/// Ends longer prompts, where it cannot become part of a shared prefix: without it a model answers loose
/// words with a short question, and an endpoint without ignore_eos would never be measured over the requested
/// length.
inline constexpr std::string_view kTask = " Write a long story with these words.";

/// Text and its calculated number of tokens.
struct CountedText {
  std::string text;
  std::uint32_t tokens = 0;
};

class SyntheticText {
 public:
  /// Without a calibration, or with one that knows too few words, each word and full stop is one token.
  SyntheticText(std::shared_ptr<const Calibration> calibration, std::uint64_t seed);

  /// The nonce itself if the token counts of its words are known, else spelt in words of known counts.
  void append_nonce(const std::string& nonce, CountedText& to) const;
  /// Words that differ for any two indices below 2^27 and, for neighbours, in the first word.
  void append_index(std::uint64_t index, CountedText& to) const;
  /// Words until `to` has `tokens` tokens: exactly, unless no word is short enough for the last gap. The same
  /// stream gives the same words.
  void append_words(std::uint32_t tokens, std::uint64_t stream, CountedText& to) const;
  void append_task(CountedText& to) const;
  std::uint32_t task_tokens() const;  // 0: the task is not used

  /// The tokens that text must have for the server to count `tokens` for a prompt without anything else, and
  /// back.
  std::uint32_t text_tokens(std::uint32_t tokens) const;
  std::uint32_t prompt_tokens(std::uint32_t tokens) const;
  /// The same for text within a prompt, where the template adds nothing.
  std::uint32_t part_tokens(std::uint32_t tokens) const;

 private:
  void add(std::size_t word, CountedText& to) const;
  void spell(std::uint64_t number, unsigned bits, CountedText& to) const;
  void append_sentences(std::uint32_t tokens, std::uint64_t stream, CountedText& to) const;
  std::uint32_t cost(std::size_t word) const;

  std::shared_ptr<const Calibration> calibration_;  // null: not calibrated
  std::uint64_t seed_;
  std::vector<std::uint16_t> known_;   // words of known token count
  std::vector<std::uint16_t> digits_;  // the cheapest of those; their number is a power of two
  unsigned digit_bits_ = 0;            // log2 of their number
  std::vector<std::vector<std::uint16_t>> by_tokens_;  // by token count; [0] is empty
};

}  // namespace infermeter
