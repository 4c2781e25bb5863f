// --shard: the part of a run that this process has, as asked for or as a launcher's variables say.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "cli/options/config_sources.hpp"
#include "infermeter/model/plan.hpp"

namespace infermeter {

/// `2/4` (ranks count from 0), `auto` (rank and size from Open MPI, PMI, Slurm) or `auto/4` (a size that a
/// launcher does not tell, as Kubernetes' indexed jobs). Throws UsageError naming what is wrong or missing.
Shard shard_of(const Values& values, const Variables& variables);

/// What cannot be split, or would not be the same load split, is a UsageError.
void check_shard(const Values& values, const Plan& plan);

/// A launcher started several of these, and each would send the whole load: a line that says so, or nothing.
std::string unused_launcher_note(const Plan& plan, const Variables& variables);

}  // namespace infermeter
