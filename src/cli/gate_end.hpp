// How a gate ends: its verdict joined, put under the user's policy, printed. Private to src/cli.
#pragma once

#include <span>
#include <string>

#include "cli/options/options.hpp"
#include "infermeter/base/errors.hpp"
#include "infermeter/model/record.hpp"
#include "infermeter/model/result.hpp"

namespace infermeter {

/// The judgements of both, failed ones first; it is trustworthy as far as the gate is.
Verdict joined(Verdict gate, const Verdict& assertions);

/// The exit code of a verdict, and what the policy makes of an undecided one (which it notes).
ExitCode by_policy(Verdict& verdict, OnInconclusive policy);

/// In the asked format to standard output. `run` and `records` are what was measured, or null.
void print_gate(const Output& output, const Verdict& verdict, const RunResult* run,
                std::span<const RequestRecord> records, const std::string& directory);

}  // namespace infermeter
