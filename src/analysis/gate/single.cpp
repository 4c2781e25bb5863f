#include "analysis/gate/single.hpp"

#include <fmt/format.h>

#include <array>
#include <cmath>

#include "analysis/compare/changes.hpp"
#include "analysis/gate/figures.hpp"
#include "analysis/gate/verdict.hpp"

namespace infermeter {

namespace {

constexpr double kLeastRatio = 1e-3;  // of a figure of 0: as for pairs, the worst of changes

/// The change with its bounds, positive is worse.
WorseChange change_between(const GatedMetric& metric, const Estimate& baseline, Estimate candidate) {
  if (*candidate.value <= 0) candidate = {.value = kLeastRatio * *baseline.value};
  const auto change = change_by_bounds(baseline, candidate, Scale::ratio);
  auto down = change.below, up = change.above;
  if (known_figure(metric).more_is_better) std::swap(down, up);
  WorseChange out{.estimate = worse(metric, change.difference), .low = {}, .high = {}};
  if (down) out.low = out.estimate - *down;
  if (up) out.high = out.estimate + *up;
  return out;
}

Decision decide_single(const WorseChange& change, double limit) {
  if (change.low && *change.low > limit) return Decision::fail;
  return change.high && *change.high < limit ? Decision::pass : Decision::undecided;
}

}  // namespace

Judgement judge_single(const GatedMetric& metric, const PointResult& baseline, const PointResult& candidate) {
  const auto& figure = known_figure(metric);
  const auto before = estimate_of(baseline, figure, metric.statistic);
  const auto after = estimate_of(candidate, figure, metric.statistic);
  const bool compared = before.value && *before.value > 0;
  if (!compared || !after.value) {
    auto line = change_line(metric, std::nullopt, {}, {});
    line.reason = fmt::format("The {} has no {}.", compared ? "candidate" : "baseline", label(metric));
    return line;
  }
  const auto change = change_between(metric, before, after);
  auto line = change_line(metric, change, std::array{*before.value}, std::array{*after.value});
  line.decision = decide_single(change, std::log1p(metric.least));
  if (line.decision != Decision::undecided) return line;
  line.reason = change.low && change.high
                    ? fmt::format("{} lies within the interval.", limit_words(metric, metric.least))
                    : "A single run of so few requests gives no interval.";
  line.needed = "longer runs, or several of each side";
  return line;
}

}  // namespace infermeter
