#include "workload/synthetic/calibration.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/random.hpp"
#include "base/text.hpp"
#include "infermeter/base/units.hpp"
#include "workload/prompts.hpp"
#include "workload/request_source.hpp"
#include "workload/synthetic/word_costs.hpp"

namespace infermeter {
namespace {

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
