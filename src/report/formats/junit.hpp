// JUnit XML for CI systems (GitLab, GitHub's reporters, Jenkins): one test case for each judgement, and for a
// run "completed" and "trustworthy" beside them, so that a run that was killed is never green. Valid against
// the Jenkins JUnit schema. Returns a string; locale-proof; golden-tested.
#pragma once

#include <string>

#include "infermeter/model/result.hpp"

namespace infermeter {

/// A broken demand is a <failure>; what cannot be told is an <error> of type "undecided", or <skipped> where
/// it was asked to pass; a run that is not whole or not to be trusted is an <error>.
std::string result_to_junit(const RunResult& result);
/// Of a verdict alone.
std::string verdict_to_junit(const Verdict& verdict);

}  // namespace infermeter
