// What a measurement, a gate or a saved run ends with: every decision about an exit code but those of errors,
// which bring their own. Pure.
#pragma once

#include <initializer_list>

#include "infermeter/base/errors.hpp"
#include "infermeter/model/result.hpp"
#include "infermeter/run/gate.hpp"
#include "infermeter/run/measure.hpp"

namespace infermeter {

/// The first of 2, 130, 3, 4, 1, 5, 0 that is among them (docs/exit-codes.md); 0 of none.
ExitCode joined(std::initializer_list<ExitCode> codes);

/// Of a saved run that is judged again: 4 where it is not to be trusted, else what its verdict says. 0
/// without a verdict: the run was shown.
ExitCode exit_code_of_saved(const RunResult& run);

/// The judgements of both, failed ones first; it is trustworthy as far as the gate is.
Verdict joined(Verdict gate, const Verdict& assertions);
/// The code under the user's policy for an undecided one, which it notes in the verdict with the code.
ExitCode exit_code_by(OnInconclusive policy, Verdict& verdict);
/// Of a gate whose pairs were measured: a cut run (130, 3) comes before its verdict, and servers that are not
/// `comparable` are 3. Kept in the verdict.
ExitCode exit_code_of_gate(const RunResult& run, bool comparable, OnInconclusive policy, Verdict& verdict);

}  // namespace infermeter
