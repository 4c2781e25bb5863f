// Which requests met every SLO of their class. Pure; any thread.
#pragma once

#include <optional>

#include "analysis/figures/windows.hpp"
#include "analysis/runs/run_records.hpp"
#include "infermeter/model/result.hpp"

namespace infermeter {

/// Nothing where the request has no such figure (failed, a single event). With several choices that of
/// the worst one. The record of a cancelled request has those of what it received.
std::optional<double> value_of(const Threshold& slo, const RequestRecord& record);

/// Of the measured requests whose class has SLOs; nothing where none has. Every one that was to be answered
/// counts: failed, aborted and dropped ones are misses, and so are answers without a figure that others have.
/// An SLO whose figure no answer has is left out. Of a stream that we cancelled only what leads to its first
/// token is judged; interrupted ones do not count. `goodput` counts those that ended in the window. Where
/// nothing could be judged, `requests` is 0 and the shares are no numbers.
std::optional<SloResult> judge_slos(const Records& measured, std::span<const ClassLoad> classes,
                                    const std::optional<Window>& window);

}  // namespace infermeter
