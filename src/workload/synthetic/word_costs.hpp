// The number of server tokens per synthetic word, by either of two methods. Pure except for the probes; any
// thread.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "workload/synthetic/calibration.hpp"

namespace infermeter {

struct WordCosts {
  std::vector<std::uint8_t> words;  // by word of the vocabulary; 0: unknown
  std::uint32_t task = 0;           // of the sentence that ends longer prompts; 0: must not be used
};

/// The word that opens each probe: the tokens of a word without a space before it are thereby counted with
/// the template.
inline constexpr std::size_t kFirstWord = 0;
std::string first_word();

/// From one list of tokens, in which a separator marks the words. Nothing if there is no /tokenize, or no
/// separator is one token.
std::optional<WordCosts> costs_by_tokens(const TokenProbes& probes);

/// From the counts of whole prompts: one probe that shows that all words are one token each, or else four
/// more that give the counts of twenty words. `base` is the count of first_word(). Nothing if the counts are
/// inconsistent with this.
std::optional<WordCosts> costs_by_counts(const TokenProbes::Count& count, std::uint32_t base);

}  // namespace infermeter
