#include "workload/synthetic/word_costs.hpp"

#include <algorithm>
#include <array>
#include <map>

#include "workload/synthetic/text.hpp"
#include "workload/synthetic/words.hpp"

namespace infermeter {
namespace {

// "about the about the above the … the": the separator is around each word and around the task.
std::string separated(std::string_view separator) {
  std::string between(" ");
  between += separator;
  std::string text = first_word() + between;
  for (const auto word : kWords) {
    text += ' ';
    text += word;
    text += between;
  }
  text += kTask;
  return text + between;
}

// The token that occurs as often as the separator does, if there is exactly one.
std::optional<std::uint32_t> separator_in(const std::vector<std::uint32_t>& tokens) {
  constexpr std::size_t kSeparators = kWordCount + 2;
  std::map<std::uint32_t, std::size_t> times;
  for (const auto token : tokens) ++times[token];
  const auto is_it = [](const auto& entry) { return entry.second == kSeparators; };
  if (std::ranges::count_if(times, is_it) != 1) return std::nullopt;
  return std::ranges::find_if(times, is_it)->first;
}

std::optional<WordCosts> costs_between(const std::vector<std::uint32_t>& tokens, std::uint32_t separator) {
  constexpr std::ptrdiff_t kMostProbed = 255;
  std::vector<std::uint8_t> sizes;
  auto from = std::ranges::find(tokens, separator);
  while (sizes.size() < kWordCount + 1) {
    const auto to = std::find(from + 1, tokens.end(), separator);
    const auto size = to - from - 1;
    if (to == tokens.end() || size < 1 || size > kMostProbed) return std::nullopt;
    sizes.push_back(static_cast<std::uint8_t>(size));
    from = to;
  }
  WordCosts costs;
  costs.task = sizes.back();
  sizes.pop_back();
  costs.words = std::move(sizes);
  return costs;
}

// The words of one probe, each repeated four times as often as the previous one: their tokens beyond one each
// then form a number in base four, with one digit per word.
constexpr std::size_t kWordsAProbe = 5;
constexpr std::size_t kProbes = 4;
constexpr std::uint32_t kBase = 4;

using Group = std::array<std::size_t, kWordsAProbe>;

// Spread over the vocabulary, so that their letters differ; includes the first word of all.
Group group_of(std::size_t probe) {
  constexpr std::size_t kStep = kWordCount / (kWordsAProbe * kProbes);
  Group group;
  for (std::size_t i = 0; i < group.size(); ++i) group[i] = (probe * kWordsAProbe + i) * kStep;
  return group;
}

std::uint32_t repeats_of(std::size_t place) {
  std::uint32_t repeats = 1;
  while (place-- > 0) repeats *= kBase;
  return repeats;
}

void append(std::string& text, std::string_view word) {
  text += ' ';
  text += word;
}

std::string all_words() {
  std::string text = first_word();
  for (const auto word : kWords) append(text, word);
  return text;
}

std::string repeated(const Group& group) {
  std::string text = first_word();
  for (std::size_t i = 0; i < group.size(); ++i) {
    for (auto times = repeats_of(i); times > 0; --times) append(text, kWords[group[i]]);
  }
  return text;
}

// `spent`: tokens beyond those of the opening word. A word of five tokens or more carries into the next
// digit; the check of a whole prompt detects this.
void decode(const Group& group, std::uint32_t spent, std::vector<std::uint8_t>& words) {
  constexpr std::uint32_t kOnes = 341;  // 1 + 4 + 16 + 64 + 256
  if (spent < kOnes || spent - kOnes >= repeats_of(kWordsAProbe)) return;
  std::uint32_t beyond = spent - kOnes;
  for (const std::size_t word : group) {
    words[word] = static_cast<std::uint8_t>(beyond % kBase + 1);
    beyond /= kBase;
  }
}

}  // namespace

std::optional<WordCosts> costs_by_tokens(const TokenProbes& probes) {
  if (!probes.tokens) return std::nullopt;
  for (const std::string_view separator : {"the", "of", "it", "was", "we", "so"}) {  // not in kWords
    const auto tokens = probes.tokens(separated(separator));
    if (tokens.empty()) return std::nullopt;
    const auto token = separator_in(tokens);
    if (auto costs = token ? costs_between(tokens, *token) : std::nullopt) return costs;
  }
  return std::nullopt;
}

std::string first_word() { return std::string(kWords[kFirstWord]); }

std::optional<WordCosts> costs_by_counts(const TokenProbes::Count& count, std::uint32_t base) {
  const auto all = count(all_words());
  if (!all || *all < base + kWordCount) return std::nullopt;
  WordCosts costs{.words = std::vector<std::uint8_t>(kWordCount, 1)};
  if (*all > base + kWordCount) {
    std::ranges::fill(costs.words, std::uint8_t{0});
    for (std::size_t probe = 0; probe < kProbes; ++probe) {
      const Group group = group_of(probe);
      const auto counted = count(repeated(group));
      if (counted && *counted >= base) decode(group, *counted - base, costs.words);
    }
    if (std::ranges::all_of(costs.words, [](auto tokens) { return tokens == 0; })) return std::nullopt;
  }
  const auto with_task = count(first_word() + std::string(kTask));
  if (with_task && *with_task > base) costs.task = *with_task - base;
  return costs;
}

}  // namespace infermeter
