#include "cli/options/gate_rule.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "analysis/assertions/thresholds.hpp"
#include "infermeter/base/errors.hpp"
#include "infermeter/base/units.hpp"

namespace infermeter {
namespace {

/// A tail varies more than the middle (METHOD 5.6): its limits are wider by so much.
double width_of(const std::string& statistic) {
  if (statistic == "p95") return 2;
  return statistic == "p99" || statistic == "p99.9" ? 5 : 1;
}

struct Effects {
  double least = 0.05, most = 0.10;
};

double effect_of(const std::string& origin, const std::string& text) {
  std::string_view number = text;
  const bool percent = number.ends_with('%');
  if (percent) number.remove_suffix(1);
  const double effect = parse_number(origin, number) / (percent ? 100 : 1);
  if (effect <= 0 || effect >= 10)
    throw UsageError(fmt::format("{}: '{}' is no change above 0, such as 5%", origin, text));
  return effect;
}

Effects effects_of(const Values& own) {
  Effects effects;
  effects.least = effect_of(own.origin("min-effect"), own.text("min-effect"));
  effects.most = own.given("max-effect") ? effect_of(own.origin("max-effect"), own.text("max-effect"))
                                         : 2 * effects.least;
  if (effects.most < effects.least)
    throw UsageError(fmt::format("{}: {} is below {} of --min-effect", own.origin("max-effect"),
                                 own.text("max-effect"), own.text("min-effect")));
  return effects;
}

/// `ttft.p50`, `tpot.p50:5%`, `ttft.p95:10%/20%`.
GatedMetric gated_metric(const Values& own, const std::string& text, const Effects& effects) {
  const std::string origin = own.origin("metric");
  const std::size_t colon = text.find(':');
  const Threshold named = parse_threshold(origin, text.substr(0, colon) + " < 0");
  const double width = width_of(named.statistic);
  GatedMetric metric{named.metric, named.statistic, effects.least * width, effects.most * width};
  if (colon == std::string::npos) return metric;
  const std::size_t slash = text.find('/', colon);
  metric.least = effect_of(origin, text.substr(colon + 1, slash - colon - 1));
  metric.most = slash == std::string::npos ? 2 * metric.least : effect_of(origin, text.substr(slash + 1));
  if (metric.most < metric.least)
    throw UsageError(fmt::format("{}: '{}' passes beyond a smaller change than it fails", origin, text));
  return metric;
}

}  // namespace

GateRule rule_of(const Values& own, bool with_slos) {
  const Effects effects = effects_of(own);
  GateRule rule = default_gate_rule(with_slos);
  for (auto& metric : rule.metrics) {
    metric.least = effects.least * width_of(metric.statistic);
    metric.most = effects.most * width_of(metric.statistic);
  }
  if (own.given("metric")) {
    rule.metrics.clear();
    for (const auto& text : own.parts("metric")) rule.metrics.push_back(gated_metric(own, text, effects));
  }
  rule.error_share = parse_share(own.origin("max-error-increase"), own.text("max-error-increase"));
  rule.session_effect = effect_of(own.origin("session-effect"), own.text("session-effect"));
  rule.forced = own.flag("force");
  return rule;
}

GateBudget fit_budget(std::span<const std::uint32_t> looks, nanoseconds budget, nanoseconds around) {
  constexpr nanoseconds kGood = 10s, kShortest = 2s, kLongest = 120s;
  const auto run_of = [&](std::uint32_t pairs) { return budget / (2 * pairs) - around; };
  GateBudget fit{looks.front(), run_of(looks.front())};
  if (fit.run < kShortest)
    throw UsageError(fmt::format("--budget: {} holds no {} pairs of runs; {} would", format_duration(budget),
                                 looks.front(), format_duration(2 * looks.front() * (around + kShortest))));
  for (const std::uint32_t pairs : looks) {
    if (run_of(pairs) >= kGood) fit = {pairs, run_of(pairs)};
  }
  fit.run = std::min(fit.run, kLongest);
  return fit;
}

}  // namespace infermeter
