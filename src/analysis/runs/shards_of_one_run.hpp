// Whether saved shards belong together, and when each began on a clock of all. Private to src/analysis.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "analysis/runs/merge_shards.hpp"

namespace infermeter {

/// UsageError unless all are shards of one run, of different ranks.
void refuse_strangers(std::span<const ShardRun> shards);

/// Ranks that none of them has, ascending.
std::vector<std::uint32_t> missing_ranks(std::span<const ShardRun> shards);

/// Whether all ran on one machine, whose monotonic clock then joins them; else it is UTC.
bool on_one_machine(std::span<const ShardRun> shards);

/// Microseconds of each one's origin after the earliest. UsageError where they did not run at the same time,
/// EnvironmentError where one with records does not say when it began.
std::vector<std::int64_t> starts_us(std::span<const ShardRun> shards);

}  // namespace infermeter
