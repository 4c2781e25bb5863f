// `infermeter run`: measures a target from preflight to verdict.
#pragma once

#include "cli/options/options.hpp"
#include "infermeter/base/errors.hpp"

namespace infermeter {

/// Throws Error for what keeps it from measuring; what was measured is saved and printed before it returns.
ExitCode run_command(const RunRequest& request);

}  // namespace infermeter
