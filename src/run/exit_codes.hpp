// The exit code of a measurement, a gate or a saved run: every decision about an exit code except those of
// errors, which carry their own. Pure.
#pragma once

#include <initializer_list>

#include "infermeter/base/errors.hpp"
#include "infermeter/model/result.hpp"
#include "infermeter/run/gate.hpp"
#include "infermeter/run/measure.hpp"

namespace infermeter {

/// The first of 2, 130, 3, 4, 1, 5, 0 that occurs in the list (docs/exit-codes.md); 0 if the list is empty.
ExitCode joined(std::initializer_list<ExitCode> codes);

/// The exit code of a saved run that is judged again: 4 if it is not trustworthy, else its verdict's. 0
/// without a verdict: the run was only shown.
ExitCode exit_code_of_saved(const RunResult& run);

/// The judgements of both, failed ones first; it is trustworthy if the gate is.
Verdict joined(Verdict gate, const Verdict& assertions);
/// The exit code under the user's policy for an undecided verdict; notes policy and code in the verdict.
ExitCode exit_code_by(OnInconclusive policy, Verdict& verdict);
/// The exit code of a gate whose pairs were measured: a cut run (130, 3) comes before its verdict, and
/// servers that are not `comparable` give 3. Stored in the verdict.
ExitCode exit_code_of_gate(const RunResult& run, bool comparable, OnInconclusive policy, Verdict& verdict);

}  // namespace infermeter
