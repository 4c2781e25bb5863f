// Which requests met every SLO of their class. Pure; any thread.
#pragma once

#include <optional>

#include "analysis/figures/windows.hpp"
#include "analysis/runs/run_records.hpp"
#include "infermeter/model/result.hpp"
#include "model/stream_speed.hpp"

namespace infermeter {

/// Nothing where the request has no such figure (failed, a single event). With several choices, that of the
/// worst one. A cancelled request has the figures of the part that it received. `load`: what all answers
/// show.
std::optional<double> value_of(const Threshold& slo, const RequestRecord& record,
                               const SpeedEvidence& load = {});

/// Counts the measured requests whose class has SLOs; nothing where no class has any. Failed, aborted and
/// dropped requests are misses, and so are answers without a figure that other answers have. An SLO whose
/// figure no answer has is left out. A stream that we cancelled is judged only up to its first token;
/// interrupted requests do not count. `goodput` counts the requests of every phase that ended in the window,
/// which is that of the rates: it equals their rate where every answer is good. Where nothing could be
/// judged, `requests` is 0 and the shares are NaN.
std::optional<SloResult> judge_slos(const Records& records, std::span<const ClassLoad> classes,
                                    const std::optional<Window>& window);

/// The share of the measured requests of which it is not known whether they met an SLO, because events may
/// have arrived before their recorded instants.
double undecided_share(const Records& measured, std::span<const ClassLoad> classes);

}  // namespace infermeter
