// `infermeter gate`: a verdict with an exit code.
#pragma once

#include "cli/options/options.hpp"
#include "infermeter/base/errors.hpp"

namespace infermeter {

/// Prints the verdict, saves it as verdict.json, and returns its exit code (docs/gate.md). Throws Error for
/// what keeps it from being made.
ExitCode gate_command(const GateRequest& request);

}  // namespace infermeter
