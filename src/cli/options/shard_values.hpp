// --shard: the part of a run that this process sends, from the option or from a launcher's variables.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "cli/options/config_sources.hpp"
#include "infermeter/model/plan.hpp"

namespace infermeter {

/// `2/4` (ranks count from 0), `auto` (rank and size from Open MPI, PMI, Slurm) or `auto/4` (a size that a
/// launcher does not give, as Kubernetes' indexed jobs). Throws UsageError naming what is wrong or missing.
Shard shard_of(const Values& values, const Variables& variables);

/// Throws UsageError for options that cannot be split over shards, or would be a different load if split.
void check_shard(const Values& values, const Plan& plan);

/// A warning if a launcher started several processes that would each send the whole load; else empty.
std::string unused_launcher_note(const Plan& plan, const Variables& variables);

}  // namespace infermeter
