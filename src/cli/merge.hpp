// `infermeter merge DIR… -o OUT`: the shards of one run as one result, in a folder of its own and on stdout.
#pragma once

#include "cli/options/options.hpp"
#include "infermeter/base/errors.hpp"

namespace infermeter {

/// Nothing is written where they do not belong together or one is missing (merge_shards says which).
ExitCode merge_command(const MergeRequest& request);

}  // namespace infermeter
