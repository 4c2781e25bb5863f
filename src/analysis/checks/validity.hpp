// Whether the numbers can be trusted: the checks of docs/metrics.md, each with its figures in one sentence,
// and advice where it did not pass. Pure; any thread.
#pragma once

#include <optional>

#include "analysis/figures/steadiness.hpp"
#include "analysis/figures/windows.hpp"
#include "analysis/runs/run_records.hpp"
#include "infermeter/analysis/summarize.hpp"

namespace infermeter {

/// Sent in time / scheduled, of the measured phase; nothing in closed loop or without a schedule. "In time"
/// is at most one mean gap after the last intended start, where the phase ends.
std::optional<double> achieved_ratio(const LoadPoint& load, const Records& measured, bool partial);

/// `point` has its counts and metrics already. Only "generator", "client" and "client_limit" can fail; the
/// others warn. `steady`: the window that is steady if `steadiness`, which is over it, says that the load had
/// settled.
Validity judge(const PointResult& point, const RunRecords& run, const std::optional<Window>& steady,
               const Steadiness& steadiness, const RunState& state);

}  // namespace infermeter
