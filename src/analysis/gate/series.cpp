#include "analysis/gate/series.hpp"

#include <fmt/format.h>

#include <cmath>

#include "analysis/gate/decision.hpp"
#include "analysis/gate/figures.hpp"
#include "analysis/gate/verdict.hpp"

namespace infermeter {

namespace {

std::string missing_words(const GatedMetric& metric, bool baseline, bool candidate) {
  if (baseline && candidate) return fmt::format("Neither side has a {}.", label(metric));
  return fmt::format("The {} has no {}.", baseline ? "baseline" : "candidate", label(metric));
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
        "Surely beyond {}, but the pairs differ by {:.0f} % (standard deviation): over {:.0f} "
        "% is too noisy to fail.",
        limit_words(series.metric, series.metric.least), 100 * bounds.spread, 400 * series.metric.least);
  return change_reason(series.metric, Decision::undecided, change);
}

}  // namespace

PairChange change_of(const GatedMetric& metric, const GatePair& pair) {
  PairChange out{.baseline = value_of(metric, *pair.baseline),
                 .candidate = value_of(metric, *pair.candidate)};
  const bool no_baseline = !out.baseline || *out.baseline <= 0;
  if (no_baseline || !out.candidate) {
    out.missing = missing_words(metric, no_baseline, !out.candidate);
  } else if (out.missing = unlike_counts(metric, *pair.baseline, *pair.candidate); out.missing.empty()) {
    out.change = log_change(*out.baseline, *out.candidate);
  }
  return out;
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
