// The smallest change that a gate detects, by simulated gates (smallest_change_found), and the limit that the
// pipeline's noise requires (noise_of_pairs).
#include <algorithm>
#include <cmath>
#include <iterator>

#include "analysis/gate/decision.hpp"
#include "analysis/gate/guards.hpp"
#include "analysis/statistics/quantiles.hpp"
#include "analysis/statistics/spread.hpp"
#include "base/random.hpp"
#include "infermeter/analysis/gate.hpp"

namespace infermeter {

namespace {

constexpr std::uint64_t kSeed = 5;

/// The changes of many equal gates whose pairs have a spread of 1. Scaled and shifted they serve any noise
/// and effect, so that a larger effect is never found less often by chance.
std::vector<std::vector<double>> unit_gates(const GateRule& rule, std::size_t count) {
  Random random(kSeed);
  std::vector<std::vector<double>> gates(count);
  for (auto& gate : gates) {
    gate.resize(rule.looks.empty() ? 0 : rule.looks.back());
    for (auto& change : gate) change = random.normal();
  }
  return gates;
}

Decision run_gate(const GateRule& rule, const GatedMetric& metric, std::span<const double> worse) {
  for (const auto look : rule.looks) {
    const auto decision = decide(bounds_at_look(worse.first(look)), metric);
    if (decision != Decision::undecided) return decision;
  }
  return Decision::undecided;
}

double share_found(const GateRule& rule, const GatedMetric& metric,
                   std::span<const std::vector<double>> gates, double effect, double spread) {
  std::size_t found = 0;
  for (const auto& gate : gates) {
    std::vector<double> worse;
    for (const double change : gate) worse.push_back(std::log1p(effect) + spread * change);
    if (run_gate(rule, metric, worse) == Decision::fail) ++found;
  }
  return static_cast<double>(found) / static_cast<double>(gates.size());
}

const GatedMetric* metric_to_find(const GateRule& rule) {
  const auto it = std::ranges::find_if(
      rule.metrics, [](const auto& metric) { return metric.metric == "ttft" && metric.statistic == "p50"; });
  if (it != rule.metrics.end()) return &*it;
  return rule.metrics.empty() ? nullptr : &rule.metrics.front();
}

/// How far the fail bound of an equal gate lies from its middle, in spreads, in all but a share `tail` of the
/// gates.
double furthest_bound(const GateRule& rule, double tail) {
  constexpr std::size_t gates = 2000;
  std::vector<double> furthest;
  for (const auto& gate : unit_gates(rule, gates)) {
    double most = 0;
    for (const auto look : rule.looks)
      most = std::max(most, bounds_at_look(std::span(gate).first(look)).above.value_or(0));
    furthest.push_back(most);
  }
  std::ranges::sort(furthest);
  return quantile(furthest, 1 - tail);
}

std::vector<GatePair> counted_pairs(std::span<const GatePair> pairs) {
  std::vector<GatePair> out;
  std::ranges::copy_if(pairs, std::back_inserter(out), [](const GatePair& pair) {
    return why_set_aside(pair.baseline).empty() && why_set_aside(pair.candidate).empty();
  });
  return out;
}

}  // namespace

std::optional<double> smallest_change_found(const GateRule& rule, double run_cv) {
  constexpr std::size_t gates = 400;
  constexpr double found_often = 0.95, most = 9, resolution = 0.002;
  const auto* metric = metric_to_find(rule);
  if (!metric || rule.looks.empty()) return std::nullopt;
  const auto simulated = unit_gates(rule, gates);
  const double spread = run_cv * std::sqrt(2.0);  // a pair is two runs
  const auto finds = [&](double effect) {
    return share_found(rule, *metric, simulated, effect, spread) >= found_often;
  };
  if (!finds(most)) return std::nullopt;
  double missed = 0, seen = most;
  while (seen - missed > resolution * (1 + missed)) {
    const double middle = std::sqrt((1 + missed) * (1 + seen)) - 1;  // in the logarithm, as changes are
    (finds(middle) ? seen : missed) = middle;
  }
  return seen;
}

std::vector<MetricNoise> noise_of_pairs(const GateRule& rule, std::span<const GatePair> pairs) {
  constexpr double false_alarms = 0.01;
  const auto measured = counted_pairs(pairs);
  std::vector<MetricNoise> out;
  std::optional<double> bound;
  for (const auto& metric : rule.metrics) {
    const auto changes = series_of(metric, measured).changes;
    MetricNoise noise{.metric = metric.metric,
                      .statistic = metric.statistic,
                      .pairs = static_cast<std::uint32_t>(changes.size()),
                      .spread = {},
                      .least = {}};
    if (changes.size() >= 2) {
      if (!bound) bound = furthest_bound(rule, false_alarms / static_cast<double>(rule.metrics.size()));
      noise.spread = spread(changes);
      noise.least = std::expm1(*bound * *noise.spread);
    }
    out.push_back(std::move(noise));
  }
  return out;
}

}  // namespace infermeter
