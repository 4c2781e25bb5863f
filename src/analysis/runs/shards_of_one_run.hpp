// Whether saved shards belong together, and when each began on a common clock. Private to src/analysis.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "analysis/runs/merge_shards.hpp"

namespace infermeter {

/// Throws UsageError unless all are shards of one run with different ranks.
void refuse_strangers(std::span<const ShardRun> shards);

/// Missing ranks, ascending.
std::vector<std::uint32_t> missing_ranks(std::span<const ShardRun> shards);

/// Whether all ran on one machine, whose monotonic clock then aligns them; else UTC does.
bool on_one_machine(std::span<const ShardRun> shards);

/// Microseconds from the earliest origin to that of each shard. UsageError where they did not run at the same
/// time, EnvironmentError where one with records lacks its start time.
std::vector<std::int64_t> starts_us(std::span<const ShardRun> shards);

}  // namespace infermeter
