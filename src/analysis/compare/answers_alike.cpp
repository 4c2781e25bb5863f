#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "infermeter/analysis/gate.hpp"
#include "infermeter/base/units.hpp"

namespace infermeter {

namespace {

// Lengths that are drawn, or that the model chooses, differ by chance between two short runs.
constexpr double kSameLength = 0.05, kSameFreeLength = 0.25;

/// Tokens of a mean ok answer; 0: not known.
double mean_tokens(std::uint64_t sum, const PointResult& point) {
  return point.ok > 0 ? static_cast<double>(sum) / static_cast<double>(point.ok) : 0;
}

void compare_lengths(std::string_view what, double a, double b, bool fixed, std::vector<std::string>& out) {
  const double most = fixed ? kSameLength : kSameFreeLength;
  if (a <= 0 || b <= 0 || std::abs(b / a - 1) <= most) return;
  out.push_back(fmt::format("the baseline's {} have {} tokens, the candidate's {}", what, format_number(a),
                            format_number(b)));
}

/// Answers that came whole, or all their events at once.
bool is_stream(const PointResult& point) {
  const auto whole = [](const OutcomeCount& count) { return count.outcome == Outcome::not_streamed; };
  const auto checked = std::ranges::find(point.validity.checks, CheckKind::stream, &Check::kind);
  const bool packed = checked != point.validity.checks.end() && checked->state != CheckState::passed &&
                      checked->state != CheckState::not_applicable;
  return !packed && std::ranges::none_of(point.outcomes, whole);
}

}  // namespace

std::vector<std::string> differences_of_answers(const PointResult& baseline, const PointResult& candidate) {
  std::vector<std::string> out;
  if (is_stream(baseline) != is_stream(candidate))
    out.push_back(fmt::format("the {} does not stream", is_stream(baseline) ? "candidate" : "baseline"));
  if (baseline.token_source != candidate.token_source && baseline.token_source && candidate.token_source)
    out.push_back(fmt::format("the baseline's tokens are counted by {}, the candidate's by {}",
                              name(*baseline.token_source), name(*candidate.token_source)));
  compare_lengths("prompts", mean_tokens(baseline.prompt_tokens, baseline),
                  mean_tokens(candidate.prompt_tokens, candidate), baseline.load.input_tokens > 0, out);
  compare_lengths("answers", mean_tokens(baseline.output_tokens, baseline),
                  mean_tokens(candidate.output_tokens, candidate),
                  baseline.load.output_tokens > 0 && baseline.load.exact_output, out);
  return out;
}

}  // namespace infermeter
