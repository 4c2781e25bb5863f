// Shards of one run → the whole run, as if one process had sent it: their records on one timeline, every
// figure recomputed from all of them, none averaged. Pure; any thread.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "infermeter/model/record.hpp"
#include "infermeter/model/result.hpp"

namespace infermeter {

/// One shard as saved: its points are summarized, so each says whether it is partial.
struct ShardRun {
  std::string name;  // for messages: its folder
  RunResult run;
  std::vector<RequestRecord> records;
};

struct MergedRun {
  RunResult run;
  std::vector<RequestRecord> records;  // by point, target and id; `worker` is numbered over all shards
};

/// In any order. A shard that was killed or stopped is merged, and its points are then partial. Points are
/// partial too where a shard is missing and that is allowed. Throws UsageError where they are not shards of
/// one run (with what differs) or a rank occurs twice, EnvironmentError where one is missing.
MergedRun merge_shards(std::vector<ShardRun> shards, bool allow_missing);

// Whether shards belong together, and when each began on a common clock (shards_of_one_run.cpp).

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
