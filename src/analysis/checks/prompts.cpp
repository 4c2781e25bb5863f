#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "analysis/checks/checks.hpp"
#include "infermeter/base/units.hpp"

namespace infermeter {

namespace {

constexpr double kPromptTolerance = 0.02;
constexpr double kPromptToleranceTokens = 2;
constexpr double kMostOffPrompts = 0.05;  // share of prompts
constexpr std::int64_t kCacheBlock = 16;  // tokens: the unit of most prefix caches

struct PromptLengths {
  std::uint64_t counted = 0, off = 0;
  double mean = 0, asked = 0;
};

/// Later turns include the answers before them, whose lengths were not requested.
bool was_asked(const RequestRecord& record) { return record.asked_input_tokens > 0 && record.turn == 0; }

PromptLengths measure_prompts(const Records& ok) {
  PromptLengths out;
  for (const auto* record : ok) {
    if (!was_asked(*record) || !record->prompt_tokens) continue;
    const double asked = record->asked_input_tokens;
    const double tokens = static_cast<double>(*record->prompt_tokens);
    ++out.counted;
    out.mean += tokens;
    out.asked += asked;
    if (std::abs(tokens - asked) > std::max(kPromptToleranceTokens, kPromptTolerance * asked)) ++out.off;
  }
  if (out.counted == 0) return out;
  out.mean /= static_cast<double>(out.counted);
  out.asked /= static_cast<double>(out.counted);
  return out;
}

/// Cached tokens of the requests that should find nothing in the cache, by class.
struct ColdTokens {
  std::int64_t own = -1;  // the template's: the part that even the least cached prompt shares with the others
  std::int64_t shortest = 0;
  std::vector<std::int64_t> cached;
};

/// A prompt that was sent before, in a try that failed, is not cold.
bool is_cold(const RequestRecord& record, std::span<const ClassLoad> classes) {
  const auto* of = class_of(record, classes);
  return of && of->cold && record.tries == 1 && record.cached_tokens && record.prompt_tokens;
}

std::vector<ColdTokens> collect_cold(const Facts& facts) {
  const auto& classes = facts.point.load.classes;
  std::vector<ColdTokens> out(classes.size());
  for (const auto* record : facts.run.ok) {
    if (!is_cold(*record, classes)) continue;
    auto& of = out[record->traffic_class];
    const bool first = of.cached.empty();
    of.own = first ? *record->cached_tokens : std::min(of.own, *record->cached_tokens);
    of.shortest = first ? *record->prompt_tokens : std::min(of.shortest, *record->prompt_tokens);
    of.cached.push_back(*record->cached_tokens);
  }
  return out;
}

struct Warm {
  std::uint64_t requests = 0, judged = 0;
  double tokens = 0;     // of those requests, above what the template explains
  std::int64_t own = 0;  // the largest of the classes' templates
};

/// The template is taken to be at most half of the shortest prompt: otherwise a run that is cached as a whole
/// would explain itself.
Warm find_warm(const std::vector<ColdTokens>& by_class) {
  Warm out;
  for (const auto& of : by_class) {
    const auto own = std::min(of.own, of.shortest / 2);
    out.judged += of.cached.size();
    if (!of.cached.empty()) out.own = std::max(out.own, own);
    for (const auto cached : of.cached) {
      if (cached <= own + kCacheBlock) continue;
      ++out.requests;
      out.tokens += static_cast<double>(cached - own);
    }
  }
  return out;
}

}  // namespace

std::optional<Check> check_prompt_lengths(const Facts& facts) {
  const auto asked = [](const auto* record) { return was_asked(*record); };
  if (std::ranges::none_of(facts.run.ok, asked)) return std::nullopt;
  const auto found = measure_prompts(facts.run.ok);
  if (found.counted == 0)
    return not_applicable(CheckKind::prompt_lengths, "The server did not count the prompt tokens.");
  auto evidence = fmt::format(
      "{} prompts are more than 2 % (2 tokens) off the length asked for; mean {} tokens, asked for {}.",
      part_of(found.off, found.counted), format_number(found.mean, 4), format_number(found.asked, 4));
  if (static_cast<double>(found.off) <= kMostOffPrompts * static_cast<double>(found.counted))
    return passed(CheckKind::prompt_lengths, std::move(evidence));
  return complaint(CheckKind::prompt_lengths, CheckState::warning, std::move(evidence),
                   "Prompts are not calibrated to this server's tokenizer, or images, tools and its template "
                   "add tokens of their own: compare runs by the tokens counted, not by those asked for.");
}

std::optional<Check> check_cold(const Facts& facts) {
  if (std::ranges::none_of(facts.point.load.classes, &ClassLoad::cold)) return std::nullopt;
  const auto warm = find_warm(collect_cold(facts));
  if (warm.judged == 0) return not_applicable(CheckKind::cold, "The server does not report cached tokens.");
  if (warm.requests == 0)
    return passed(CheckKind::cold,
                  fmt::format("No prompt was in the server's cache beyond the {} tokens that all "
                              "share and one block.",
                              format_count(static_cast<std::uint64_t>(warm.own))));
  return complaint(
      CheckKind::cold, CheckState::warning,
      fmt::format("{} prompts that were to be cold were partly in the server's cache: {} tokens each on "
                  "average beyond the {} that all share.",
                  part_of(warm.requests, warm.judged),
                  format_number(warm.tokens / static_cast<double>(warm.requests)),
                  format_count(static_cast<std::uint64_t>(warm.own))),
      "Their TTFT is that of a warm cache. Let the nonce be a new one (no --nonce), do not send the same "
      "prompts twice, or empty the cache before each point (--before-point).");
}

}  // namespace infermeter
