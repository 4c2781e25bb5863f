#include "workload/synthetic/calibration.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <map>

#include "base/random.hpp"
#include "base/text.hpp"
#include "infermeter/base/units.hpp"
#include "workload/request_source.hpp"
#include "workload/synthetic/text.hpp"

namespace infermeter {
namespace {

// The number of server tokens per synthetic word, by either of two methods.
struct WordCosts {
  std::vector<std::uint8_t> words;  // by word of the vocabulary; 0: unknown
  std::uint32_t task = 0;           // of the sentence that ends longer prompts; 0: must not be used
};

// The word that opens each probe: the tokens of a word without a space before it are thereby counted with
// the template.
constexpr std::size_t kFirstWord = 0;
std::string first_word() { return std::string(kWords[kFirstWord]); }

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

// From one list of tokens, in which a separator marks the words. Nothing if there is no /tokenize, or no
// separator is one token.
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

// From the counts of whole prompts: one probe that shows that all words are one token each, or else four
// more that give the counts of twenty words. `base` is the count of first_word(). Nothing if the counts are
// inconsistent with this.
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

/// A whole prompt: its expected token count and the server's count.
struct Check {
  std::uint32_t wanted = 0;  // requested tokens; `made` is larger if the fixed parts alone need more
  std::uint32_t made = 0, counted = 0;
  double off() const { return static_cast<double>(counted) - static_cast<double>(made); }
  bool holds() const {
    constexpr double kShare = 0.02, kTokens = 2;
    return std::abs(off()) <= std::max(kTokens, kShare * made);
  }
};

// A prompt as the run will send it, with a nonce that no run uses.
std::optional<Check> check(const TokenProbes::Count& count, const Calibration& calibration,
                           const SourceInputs& inputs, std::uint64_t index) {
  constexpr double kLongest = 8192;  // token counts add up: a longer prompt would show no more
  const double wanted = std::min(std::round(inputs.input_tokens.mean()), kLongest);
  SourceInputs one = inputs;
  one.nonce = make_nonce(mix64(hash_bytes("calibration")));
  one.input_tokens = {.a = wanted};
  one.prompts.images = one.prompts.shared_prefix_tokens = 0;
  one.calibration = std::make_shared<const Calibration>(calibration);
  const Request request = make_request_source(std::move(one))->request(index, 0);
  const auto counted = count(request.messages.front().content);
  if (!counted) return std::nullopt;
  return Check{static_cast<std::uint32_t>(wanted), request.input_tokens, *counted};
}

// The overhead was measured separately, so the error of a long prompt is proportional to its length.
double corrected_stretch(const Calibration& calibration, const Check& seen) {
  const std::uint32_t overhead = calibration.overhead_tokens;
  if (seen.made <= overhead || seen.counted <= overhead) return calibration.stretch;
  return calibration.stretch * (seen.counted - overhead) / (seen.made - overhead);
}

std::string words_of(const Check& seen, bool corrected) {
  const std::string off = seen.off() == 0 ? "exactly" : signed_percent(seen.off() / std::max(seen.made, 1u));
  return fmt::format("a prompt of {} tokens is counted as {} ({}{}{}{})", format_count(seen.made),
                     format_count(seen.counted), off, corrected ? " after a correction" : "",
                     seen.made > seen.wanted ? ", no shorter one can be made" : "",
                     seen.holds() ? "" : ": prompt lengths are a guess");
}

void verify(const TokenProbes::Count& count, const SourceInputs& inputs, Calibration& calibration) {
  auto seen = check(count, calibration, inputs, 0);
  const bool correct = seen && !seen->holds();
  if (correct) {
    calibration.stretch = corrected_stretch(calibration, *seen);
    if (const auto again = check(count, calibration, inputs, 1)) seen = again;
  }
  calibration.report = seen ? words_of(*seen, correct)
                            : "a prompt of the asked length was not answered: lengths are unchecked";
}

Calibration not_calibrated(std::string_view why) {
  Calibration calibration;
  calibration.report = fmt::format("{}: prompt lengths are a guess", why);
  return calibration;
}

/// Counts the probes that it sends.
TokenProbes::Count counting(const TokenProbes::Count& count, std::uint32_t& asked) {
  return [&count, &asked](const std::string& text) {
    ++asked;
    return count ? count(text) : std::nullopt;
  };
}

}  // namespace

Calibration learn_calibration(const TokenProbes& probes, const SourceInputs& inputs) {
  std::uint32_t asked = 0;
  auto costs = costs_by_tokens(probes);
  // Billed usage takes precedence, if the server reports it.
  auto count = counting(probes.usage, asked);
  auto base = count(first_word());
  const bool by_usage = base && !costs;
  if (!base) {
    count = counting(probes.templated, asked);
    base = count(first_word());
  }
  if (!base) return not_calibrated("the server reports no usage");
  if (!costs) costs = costs_by_counts(count, *base);
  if (!costs) return not_calibrated("the server's token counts do not follow the words of a prompt");

  Calibration calibration;
  calibration.source = by_usage ? "usage" : "tokenize";
  calibration.word_tokens = std::move(costs->words);
  calibration.task_tokens = costs->task;
  const std::uint32_t first = std::max<std::uint32_t>(calibration.word_tokens[kFirstWord], 1);
  calibration.overhead_tokens = *base - std::min(*base, first);
  verify(count, inputs, calibration);
  calibration.report +=
      by_usage ? fmt::format(", learnt from usage by {} probes", asked) : ", learnt from /tokenize";
  return calibration;
}

}  // namespace infermeter
