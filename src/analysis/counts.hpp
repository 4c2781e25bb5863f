// What was counted over a point's records: outcomes, finish reasons, flags, tokens and where they come from.
// Pure; any thread.
#pragma once

#include "infermeter/model/result.hpp"
#include "run_records.hpp"

namespace infermeter {

/// Fills the counts of `point`: requests, outcomes, finish_reasons, flags, token sums and sources, reasoning,
/// tokens_per_event.
void count_records(const RunRecords& run, PointResult& point);

/// Fills what is known of the arrival stamps: late_share, packed_share, unstamped_share, client_lag_p99_ms.
void count_stamps(const Records& measured, PointResult& point);

}  // namespace infermeter
