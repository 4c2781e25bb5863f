#include "infermeter/workload/prompts.hpp"

#include <algorithm>

#include "infermeter/base/random.hpp"
#include "words.hpp"

namespace infermeter {
namespace {

constexpr std::uint64_t kWordMask = kWordCount - 1;
constexpr std::uint32_t kIndexWords = 3;
constexpr std::uint32_t kNonceWords = 4;
constexpr std::uint32_t kSentenceWords = 12;

// At the end, where it makes no two prompts share a prefix: without it a model answers loose words with a
// short question, and an endpoint that takes no ignore_eos would never be measured over the asked length.
constexpr std::string_view kTask = " Write a long story with these words.";
constexpr std::uint32_t kTaskTokens = 8;
constexpr std::uint32_t kLeastWithTask = 24;

std::string_view word(std::uint64_t bits) { return kWords[bits & kWordMask]; }

void append_word(std::string& text, std::string_view next) {
  if (!text.empty()) text += ' ';
  text += next;
}

/// Three words that differ for any two indices below 2^27 and, for neighbours, in the first word: an odd
/// factor permutes the residues, and the golden ratio spreads neighbours over the high digits (Knuth 6.4).
void append_index(std::string& text, std::uint64_t index, std::uint64_t seed) {
  constexpr std::uint64_t kGolden = 0x4f1bbcdULL;  // 2^27 / φ, odd
  const std::uint64_t number = (index * kGolden) ^ mix64(seed);
  for (std::uint32_t digit = kIndexWords; digit-- > 0;)
    append_word(text, word(number >> (kWordBits * digit)));
}

/// Words and full stops, one token each, until `tokens` are there.
void append_sentences(std::string& text, std::uint32_t tokens, Random random) {
  std::uint32_t in_sentence = kNonceWords + kIndexWords;
  for (std::uint32_t made = 0; made < tokens; ++made) {
    if (in_sentence == kSentenceWords || (made + 1 == tokens && in_sentence > 0)) {
      text += '.';
      in_sentence = 0;
      continue;
    }
    append_word(text, word(random.next() >> (64 - kWordBits)));
    ++in_sentence;
  }
}

std::string synthetic(const Prompts& prompts, std::uint64_t seed, std::uint64_t index) {
  constexpr std::uint32_t kOpening = kNonceWords + kIndexWords;
  const bool with_task = prompts.input_tokens.sole() >= kLeastWithTask;
  const std::uint32_t around = kOpening + (with_task ? kTaskTokens : 0);
  std::string text;
  text.reserve(prompts.nonce.size() + std::size_t{prompts.input_tokens.sole()} * 7 + 64);
  text = prompts.nonce;
  append_index(text, index, seed);
  append_sentences(text, std::max(prompts.input_tokens.sole(), around) - around, Random(seed, mix64(index)));
  if (with_task) text += kTask;
  return text;
}

}  // namespace

std::string make_nonce(std::uint64_t entropy) {
  std::string nonce;
  for (std::uint32_t i = 0; i < kNonceWords; ++i) append_word(nonce, word(mix64(entropy + i) >> 32));
  return nonce;
}

PromptSource::PromptSource(const Prompts& prompts, std::uint64_t seed) : prompts_(prompts), seed_(seed) {}

std::string PromptSource::prompt(std::uint64_t index) const {
  if (!prompts_.prompts.empty()) return prompts_.prompts[index % prompts_.prompts.size()];
  return synthetic(prompts_, seed_, index);
}

std::string PromptSource::probe() const {
  std::string text = "Answer with one word, please.";
  if (!prompts_.nonce.empty()) append_word(text, prompts_.nonce);
  return text;
}

}  // namespace infermeter
