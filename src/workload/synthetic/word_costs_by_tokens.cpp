#include <algorithm>
#include <map>

#include "workload/synthetic/text.hpp"
#include "workload/synthetic/word_costs.hpp"
#include "workload/synthetic/words.hpp"

namespace infermeter {
namespace {

// "about the about the above the … the": the separator stands around each word and around the task.
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

// The token that stands as often as the separator does, if exactly one does so.
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

}  // namespace

std::optional<WordCosts> costs_by_tokens(const TokenProbes& probes) {
  if (!probes.tokens) return std::nullopt;
  for (const std::string_view separator : {"the", "of", "it", "was", "we", "so"}) {  // none of kWords
    const auto tokens = probes.tokens(separated(separator));
    if (tokens.empty()) return std::nullopt;
    const auto token = separator_in(tokens);
    if (auto costs = token ? costs_between(tokens, *token) : std::nullopt) return costs;
  }
  return std::nullopt;
}

}  // namespace infermeter
