#include "analysis/gate/sessions.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "analysis/compare/changes.hpp"
#include "analysis/gate/figures.hpp"
#include "analysis/gate/verdict.hpp"
#include "analysis/statistics/quantiles.hpp"
#include "analysis/statistics/spread.hpp"

namespace infermeter {

namespace {

constexpr double kScore = 1.960 + 0.842;  // for the interval, and for the 80 % chance of a decision
constexpr double kMostRuns = 100;         // nobody repeats more runs

/// Of the runs that have the figure.
std::vector<double> figures_of(const GatedMetric& metric, std::span<const PointResult* const> runs) {
  std::vector<double> out;
  for (const auto* run : runs) {
    if (const auto figure = value_of(metric, *run)) out.push_back(*figure);
  }
  return out;
}

double median_of(std::vector<double> values) { return median(values); }

/// ln of the figures relative to `middle`, positive is worse.
std::vector<double> turned(const GatedMetric& metric, double middle, std::span<const double> figures) {
  std::vector<double> out;
  for (const double figure : figures) out.push_back(worse(metric, log_change(middle, figure)));
  return out;
}

double runs_for(double gap, double spread) {
  return gap <= 0 ? std::numeric_limits<double>::infinity() : 2 * std::pow(kScore * spread / gap, 2);
}

struct Limits {
  double least = 0, fail = 0, pass = 0;  // ln
};

/// Above it a metric fails.
double failing_share(const GateRule& rule, const GatedMetric& metric) {
  return std::max(metric.least, rule.session_effect);
}

Limits limits_of(const GateRule& rule, const GatedMetric& metric) {
  return {.least = std::log1p(metric.least),
          .fail = std::log1p(failing_share(rule, metric)),
          .pass = std::log1p(metric.most)};
}

Decision decide(const MeanDifference& difference, const Limits& limits) {
  if (difference.low > limits.fail) return Decision::fail;
  if (difference.low > limits.least) return Decision::undecided;
  return difference.high < limits.pass ? Decision::pass : Decision::undecided;
}

std::string runs_needed(const MeanDifference& difference, const Limits& limits, double spread,
                        std::size_t now) {
  const double more = std::min(runs_for(difference.estimate - limits.fail, spread),
                               runs_for(limits.pass - difference.estimate, spread));
  if (difference.low > limits.least || more > kMostRuns) return "pairs measured in turn";
  return fmt::format("about {:.0f} runs a side, or pairs measured in turn",
                     std::max(std::ceil(more), static_cast<double>(now + 1)));
}

void explain(const GateRule& rule, const GatedMetric& metric, const MeanDifference& difference,
             const Limits& limits, Judgement& line) {
  if (line.decision == Decision::undecided && difference.low > limits.least) {
    line.reason = fmt::format(
        "Significantly beyond {}, but one server can differ by so much between two sessions: only beyond {} "
        "is a "
        "failure.",
        limit_words(metric, metric.least), limit_words(metric, failing_share(rule, metric)));
    return;
  }
  line.reason =
      change_reason(metric, line.decision,
                    {.estimate = difference.estimate, .low = difference.low, .high = difference.high});
}

std::string missing_runs_words(const GatedMetric& metric, std::size_t baseline, std::size_t candidate) {
  return fmt::format(
      "{} is known of {} runs of the baseline and {} of the candidate: two each are the least.",
      label(metric), baseline, candidate);
}

constexpr double kLeastRatio = 1e-3;  // of a figure of 0: the worst change, as for pairs

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

Judgement undecided_by_run(const GateRule& rule, const GatedMetric& metric, std::string reason) {
  auto line = change_line(metric, std::nullopt, {}, {});
  line.limit = own_direction(metric, failing_share(rule, metric));
  line.reason = std::move(reason);
  return line;
}

Judgement judge_by_run(const GateRule& rule, const GatedMetric& metric, const GateSides& sides) {
  const auto baseline = figures_of(metric, sides.baseline), candidate = figures_of(metric, sides.candidate);
  const auto unlike = unlike_counts(metric, *sides.baseline.front(), *sides.candidate.front());
  if (baseline.size() < 2 || candidate.size() < 2 || median_of(baseline) <= 0 || !unlike.empty())
    return undecided_by_run(
        rule, metric,
        unlike.empty() ? missing_runs_words(metric, baseline.size(), candidate.size()) : unlike);
  const double middle = median_of(baseline);
  const auto of_baseline = turned(metric, middle, baseline), of_candidate = turned(metric, middle, candidate);
  const auto difference = welch(of_baseline, of_candidate);
  const auto limits = limits_of(rule, metric);
  auto line = change_line(metric, WorseChange{difference.estimate, difference.low, difference.high}, baseline,
                          candidate);
  line.limit = own_direction(metric, failing_share(rule, metric));
  line.decision = decide(difference, limits);
  explain(rule, metric, difference, limits, line);
  const double both = std::hypot(spread(of_baseline), spread(of_candidate)) / std::sqrt(2.0);
  if (line.decision == Decision::undecided)
    line.needed = runs_needed(difference, limits, both, std::min(baseline.size(), candidate.size()));
  return line;
}

std::optional<double> change_of_run(const GatedMetric& metric, const GateSides& sides,
                                    const PointResult& run) {
  const auto baseline = figures_of(metric, sides.baseline);
  const auto figure = value_of(metric, run);
  if (baseline.empty() || !figure || median_of(baseline) <= 0) return std::nullopt;
  return log_change(median_of(baseline), *figure);
}

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
