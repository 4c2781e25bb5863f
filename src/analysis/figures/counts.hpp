// Counts over a point's records: outcomes, finish reasons, flags, tokens and their sources. Pure; any thread.
#pragma once

#include <optional>
#include <vector>

#include "analysis/runs/run_records.hpp"
#include "infermeter/model/result.hpp"

namespace infermeter {

/// Fills the counts of `point`: requests, outcomes, finish_reasons, flags, token sums and sources, reasoning,
/// tokens_per_event.
void count_records(const RunRecords& run, PointResult& point);

/// ok first, then by count.
std::vector<OutcomeCount> count_outcomes(const Records& measured);

/// The source of the token counts of all of them; nothing without any.
std::optional<TokenSource> token_source_of(const Records& answers);

/// Fills the facts about arrival stamps: late_share, packed_share, unstamped_share, client_lag_p99_ms,
/// client_lag_max_ms.
void count_stamps(const Records& measured, PointResult& point);

}  // namespace infermeter
