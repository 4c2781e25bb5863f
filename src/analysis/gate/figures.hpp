// A gated metric's figures at both members of a pair, and the change between them. Pure; any thread.
#pragma once

#include <optional>
#include <span>
#include <string>

#include "infermeter/analysis/gate.hpp"
#include "infermeter/model/figures.hpp"

namespace infermeter {

/// "ttft.p50"; "output_throughput" of a single figure.
std::string label(const GatedMetric& metric);

/// Its row of the catalogue: callers name known metrics only.
const Figure& known_figure(const GatedMetric& metric);

/// Nothing where the point has no such figure.
std::optional<double> value_of(const GatedMetric& metric, const PointResult& point);

/// ln(candidate / baseline). A candidate's figure of 0 (no request met the SLOs) counts as a thousandth of
/// the baseline's: it is the worst change, not a missing one. The baseline's must be above 0.
double log_change(double baseline, double candidate);
/// The same change with its sign turned so that positive is worse, and back.
double worse(const GatedMetric& metric, double change);

/// Whether a part of the requests met a warm cache and a part a cold one, each at least a tenth: then the
/// median of a time that includes the prefill may lie in either mode by chance.
bool has_two_modes(const PointResult& point);

/// Why the metric cannot be compared though both have it: tokens on one side, events on the other. Empty: it
/// can.
std::string unlike_counts(const GatedMetric& metric, const PointResult& baseline,
                          const PointResult& candidate);

/// The metrics as they are judged: where a point has two modes, the mean replaces a p50 that lies between
/// them, with a note.
std::vector<GatedMetric> judged_metrics(const GateRule& rule, std::span<const PointResult* const> points,
                                        std::vector<std::string>& notes);

}  // namespace infermeter
