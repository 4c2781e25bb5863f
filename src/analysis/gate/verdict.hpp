// The parts of a gate's verdict that pairs and runs share: the line of a change, the order of lines, the
// decision of the whole. Pure; any thread.
#pragma once

#include <optional>
#include <span>
#include <string>

#include "infermeter/analysis/gate.hpp"
#include "infermeter/base/errors.hpp"

namespace infermeter {

/// A change with its bounds as ln ratios, positive is worse.
struct WorseChange {
  double estimate = 0;
  std::optional<double> low, high;
};

/// The line of a metric, undecided, with the medians of both sides' figures, which must not be empty where
/// `change` is set.
Judgement change_line(const GatedMetric& metric, const std::optional<WorseChange>& change,
                      std::span<const double> baseline, std::span<const double> candidate);

/// A share of `worse` in the metric's own direction: 0.05 is +0.05 of a latency, −0.0476 of a rate.
double own_direction(const GatedMetric& metric, double worse_share);
/// "+5.0 %", in the metric's own direction.
std::string percent(double change);
std::string limit_words(const GatedMetric& metric, double worse_share);

/// Why a metric that was looked at is undecided, or passed above its limit; empty where the line shows it.
std::string change_reason(const GatedMetric& metric, Decision decision, const WorseChange& change);

/// Makes a change undecided, because the baseline itself did not answer.
void doubt(Judgement& line);

/// The order of judgements: failed, undecided, passed.
int rank(Decision decision);
/// Of the verdict alone: 4, 1, 5 or 0.
ExitCode exit_code_of(const Verdict& verdict);
/// Sorts the judgements (failed, undecided, passed), sets the decision and the exit code.
void conclude_verdict(Verdict& verdict);

}  // namespace infermeter
