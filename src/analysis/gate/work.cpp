#include "analysis/gate/work.hpp"

#include <fmt/format.h>

#include <cmath>

#include "infermeter/base/units.hpp"

namespace infermeter {

namespace {

constexpr double kMostLengthChange = 0.05;
constexpr double kMostCacheChange = 0.10;

/// Sums over one side's ok answers.
struct Work {
  double ok = 0, prompt = 0, output = 0, cached = 0;
  bool tells_cache = false;
};

Work work_of(const std::vector<const PointResult*>& runs) {
  Work work;
  for (const auto* run : runs) {
    work.ok += static_cast<double>(run->ok);
    work.prompt += static_cast<double>(run->prompt_tokens);
    work.output += static_cast<double>(run->output_tokens);
    work.cached += static_cast<double>(run->cached_tokens);
    work.tells_cache = work.tells_cache || run->cache.has_value();
  }
  return work;
}

void compare_length(std::string_view what, double baseline, double candidate, std::vector<std::string>& out) {
  if (baseline <= 0 || candidate <= 0 || std::abs(candidate / baseline - 1) <= kMostLengthChange) return;
  out.push_back(
      fmt::format("{} are {} tokens long on average of the candidate, {} of the baseline: not the same work.",
                  what, format_number(candidate), format_number(baseline)));
}

void compare_caches(const Work& baseline, const Work& candidate, std::vector<std::string>& out) {
  if (!baseline.tells_cache || !candidate.tells_cache || baseline.prompt <= 0 || candidate.prompt <= 0)
    return;
  const double before = baseline.cached / baseline.prompt, now = candidate.cached / candidate.prompt;
  if (std::abs(now - before) <= kMostCacheChange) return;
  out.push_back(
      fmt::format("The candidate's prefix cache held {:.0f} % of the prompt tokens, the baseline's {:.0f} %.",
                  100 * now, 100 * before));
}

}  // namespace

std::vector<std::string> unequal_work(const GateSides& sides) {
  const auto baseline = work_of(sides.baseline), candidate = work_of(sides.candidate);
  std::vector<std::string> out;
  if (baseline.ok <= 0 || candidate.ok <= 0) return out;
  compare_length("Prompts", baseline.prompt / baseline.ok, candidate.prompt / candidate.ok, out);
  compare_length("Answers", baseline.output / baseline.ok, candidate.output / candidate.ok, out);
  compare_caches(baseline, candidate, out);
  return out;
}

}  // namespace infermeter
