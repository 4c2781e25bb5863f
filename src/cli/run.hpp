// `infermeter run`: measures a target from preflight to verdict.
#pragma once

#include "infermeter/base/errors.hpp"
#include "options.hpp"

namespace infermeter {

/// Throws Error for what keeps it from measuring; what was measured is saved and printed before it returns.
ExitCode run_command(const RunRequest& request);

}  // namespace infermeter
