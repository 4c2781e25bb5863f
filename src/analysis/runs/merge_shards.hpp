// Shards of one run → the whole run, as if one process had sent it: their records on one timeline, every
// figure recomputed from all of them, none averaged. Pure; any thread.
#pragma once

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

}  // namespace infermeter
