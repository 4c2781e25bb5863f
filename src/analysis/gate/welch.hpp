// Runs of two sessions at one load, several a side: compared by run. Pure; any thread.
#pragma once

#include <string>

#include "analysis/gate/guards.hpp"

namespace infermeter {

/// At least two runs a side. Fails only beyond the session's own effect, which repeated runs do not see; what
/// is surely beyond `least` but not beyond that is undecided.
Judgement judge_by_run(const GateRule& rule, const GatedMetric& metric, const GateSides& sides);

/// The line of a metric that cannot be compared by run, and why, with the limit that would have held.
Judgement undecided_by_run(const GateRule& rule, const GatedMetric& metric, std::string reason);

/// ln(run / the middle of the baseline's runs); nothing where there is no such figure.
std::optional<double> change_of_run(const GatedMetric& metric, const GateSides& sides,
                                    const PointResult& run);

}  // namespace infermeter
