// What the synthetic words cost in the server's tokens, by either of two ways of asking. Pure but for the
// probes; any thread.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "workload/synthetic/calibration.hpp"

namespace infermeter {

struct WordCosts {
  std::vector<std::uint8_t> words;  // by word of the vocabulary; 0: not known
  std::uint32_t task = 0;           // of the sentence that ends longer prompts; 0: not known
};

/// The word that opens each probe: what a tokenizer makes of a word with no space before it is thereby
/// counted with the template.
inline constexpr std::size_t kFirstWord = 0;
std::string first_word();

/// From one list of tokens, in which a separator tells the words apart. Nothing where there is no /tokenize,
/// or no separator is one token.
std::optional<WordCosts> costs_by_tokens(const TokenProbes& probes);

/// From the counts of whole prompts: one probe that shows that all words are one token each, or else four
/// more that give the costs of twenty words. `base` is the count of first_word(). Nothing where the counts do
/// not follow the words.
std::optional<WordCosts> costs_by_counts(const TokenProbes::Count& count, std::uint32_t base);

}  // namespace infermeter
