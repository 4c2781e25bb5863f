#include "analysis/gate/decision.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "analysis/gate/figures.hpp"
#include "analysis/gate/verdict.hpp"
#include "analysis/statistics/pairs.hpp"
#include "analysis/statistics/quantiles.hpp"
#include "analysis/statistics/spread.hpp"
#include "infermeter/base/units.hpp"

namespace infermeter {
namespace {

constexpr double kFailTail = 1.0 / 64, kPassTail = 0.05;
constexpr double kMostSpread = 4;  // times `least`: heavy tails cause false alarms above it

/// Normal quantiles of the two tails, each plus that of 80 %: the chance that a decision is then reached.
constexpr double kFailScore = 2.154 + 0.842, kPassScore = 1.645 + 0.842;
constexpr double kEfficiency = 0.955;  // of signed ranks against the mean, of normal differences (3/π)
constexpr double kFewestPairs = 6;     // fewer pairs decide nothing
constexpr double kMostPairs = 100;     // nobody measures more pairs
constexpr double kMostFactor = 1000;   // nobody measures more requests

double pairs_for(double gap, double score, double spread) {
  if (gap <= 0) return std::numeric_limits<double>::infinity();
  return std::pow(score * spread / gap, 2) / kEfficiency;
}

/// Rounds up to one digit: 412 → 500.
double one_digit_up(double value) {
  const double unit = std::pow(10, std::floor(std::log10(value)));
  return std::ceil(value / unit - 1e-9) * unit;
}

std::string missing_words(const GatedMetric& metric, bool baseline, bool candidate) {
  if (baseline && candidate) return fmt::format("Neither side has a {}.", label(metric));
  return fmt::format("The {} has no {}.", baseline ? "baseline" : "candidate", label(metric));
}

/// " ITL, TPOT and TPS are left out: …"; empty where the speed of the streams is known.
std::string why_no_speed(const GatedMetric& metric, const PointResult& point) {
  const auto& checks = point.validity.checks;
  const auto check = std::ranges::find(checks, CheckKind::speed, &Check::kind);
  const bool unknown = check != checks.end() && check->state == CheckState::warning;
  return unknown && known_figure(metric).of_speed ? " " + check->evidence : std::string();
}

/// A rate of 0 is that of an endpoint without such answers; a goodput of 0 may be chance.
bool is_never_given(const GatedMetric& metric, const PointResult& point) {
  if (point.ok == 0) return false;
  const auto value = value_of(metric, point);
  return !value || (*value <= 0 && metric.metric.ends_with("_throughput"));
}

std::string next_look_words(const GateStage& stage) {
  if (stage.at_end) return stage.counted == 0 ? "No pair counts." : "";
  return stage.next ? fmt::format("The next look is after {} pairs.", *stage.next) : "";
}

std::string undecided_reason(const GateSeries& series, const LookBounds& bounds, const WorseChange& change) {
  if (!series.missing.empty() && !bounds.below) return series.missing;
  if (!bounds.below) return "Too few pairs: nothing is decided under six.";
  if (bounds.above && *bounds.above > std::log1p(series.metric.least))
    return fmt::format(
        "Significantly beyond {}, but the pairs differ by {:.0f} % (standard deviation): over {:.0f} "
        "% is too noisy to fail.",
        limit_words(series.metric, series.metric.least), 100 * bounds.spread, 400 * series.metric.least);
  return change_reason(series.metric, Decision::undecided, change);
}

}  // namespace

LookBounds bounds_at_look(std::span<const double> worse) {
  const auto averages = walsh_averages(worse);
  LookBounds bounds{.estimate = quantile(averages, 0.5), .above = {}, .below = {}, .spread = spread(worse)};
  const auto fail = signed_rank_bound(worse.size(), kFailTail);
  if (!fail) return bounds;  // a metric that could not have failed cannot pass either
  bounds.above = kth_smallest(averages, *fail);
  bounds.below = kth_largest(averages, *signed_rank_bound(worse.size(), kPassTail));
  return bounds;
}

bool too_noisy_to_fail(const LookBounds& bounds, const GatedMetric& metric) {
  return bounds.spread > kMostSpread * metric.least;
}

Decision decide(const LookBounds& bounds, const GatedMetric& metric) {
  if (bounds.above && *bounds.above > std::log1p(metric.least) && !too_noisy_to_fail(bounds, metric))
    return Decision::fail;
  if (bounds.below && *bounds.below < std::log1p(metric.most)) return Decision::pass;
  return Decision::undecided;
}

std::string pairs_needed(const LookBounds& bounds, const GatedMetric& metric, std::size_t pairs,
                         double requests) {
  const double to_fail = pairs_for(bounds.estimate - std::log1p(metric.least), kFailScore, bounds.spread);
  const double to_pass = pairs_for(std::log1p(metric.most) - bounds.estimate, kPassScore, bounds.spread);
  const auto now = static_cast<double>(pairs);
  const double more = std::max({std::min(to_fail, to_pass), now + 2, kFewestPairs});
  double factor = more / now;  // of requests: the spread shrinks with their root
  const bool noisy = too_noisy_to_fail(bounds, metric) && to_fail < to_pass;
  if (noisy) factor = std::max(factor, std::pow(bounds.spread / (kMostSpread * metric.least), 2));
  const std::string by_pairs =
      !noisy && more <= kMostPairs ? fmt::format("about {:.0f} pairs", std::ceil(more)) : "";
  if (requests <= 0) return by_pairs;
  if (factor > kMostFactor) return by_pairs;
  return fmt::format("{}{}runs of about {} requests", by_pairs, by_pairs.empty() ? "" : ", or ",
                     format_count(static_cast<std::uint64_t>(one_digit_up(requests * factor))));
}

PairChange change_of(const GatedMetric& metric, const GatePair& pair) {
  PairChange out{.baseline = value_of(metric, *pair.baseline),
                 .candidate = value_of(metric, *pair.candidate)};
  const bool no_baseline = !out.baseline || *out.baseline <= 0;
  if (no_baseline || !out.candidate) {
    out.missing = missing_words(metric, no_baseline, !out.candidate) +
                  why_no_speed(metric, no_baseline ? *pair.baseline : *pair.candidate);
  } else if (out.missing = unlike_counts(metric, *pair.baseline, *pair.candidate); out.missing.empty()) {
    out.change = log_change(*out.baseline, *out.candidate);
  }
  return out;
}

std::string why_never(const GatedMetric& metric, const GatePair& pair) {
  if (is_never_given(metric, *pair.baseline) || is_never_given(metric, *pair.candidate))
    return change_of(metric, pair).missing;
  return unlike_counts(metric, *pair.baseline, *pair.candidate);
}

GateSeries series_of(const GatedMetric& metric, std::span<const GatePair> pairs) {
  GateSeries out{.metric = metric, .changes = {}, .baseline = {}, .candidate = {}, .missing = {}};
  for (const auto& pair : pairs) {
    const auto one = change_of(metric, pair);
    if (!one.change) {
      out.missing = one.missing;
      continue;
    }
    out.changes.push_back(*one.change);
    out.baseline.push_back(*one.baseline);
    out.candidate.push_back(*one.candidate);
  }
  return out;
}

Judgement judge_series(const GateSeries& series, const GateStage& stage, double requests) {
  if (series.changes.empty()) {
    auto line = change_line(series.metric, std::nullopt, {}, {});
    line.reason = !series.missing.empty() ? series.missing : next_look_words(stage);
    return line;
  }
  std::vector<double> turned;
  for (const double change : series.changes) turned.push_back(worse(series.metric, change));
  const auto bounds = bounds_at_look(turned);
  const WorseChange change{bounds.estimate, bounds.above, bounds.below};
  auto line = change_line(series.metric, change, series.baseline, series.candidate);
  if (!stage.look) {
    line.reason = next_look_words(stage);
    return line;
  }
  line.decision = decide(bounds, series.metric);
  line.reason = line.decision == Decision::undecided ? undecided_reason(series, bounds, change)
                                                     : change_reason(series.metric, line.decision, change);
  if (line.decision == Decision::undecided && stage.at_end)
    line.needed = pairs_needed(bounds, series.metric, turned.size(), requests);
  return line;
}

}  // namespace infermeter
