// The gates that measure nothing: of saved results. Private to src/cli.
#pragma once

#include "cli/options/options.hpp"
#include "infermeter/base/errors.hpp"

namespace infermeter {

/// Results of the candidate against those of the baseline, by run.
ExitCode saved_gate(const GateRequest& request);
/// One result against its limits.
ExitCode assertions_gate(const GateRequest& request);

}  // namespace infermeter
