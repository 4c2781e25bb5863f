// GitHub workflow commands: ::error, ::warning and ::notice lines that Actions shows beside the job, the most
// important ones first, since it shows ten of a kind. Returns a string; locale-proof; golden-tested.
#pragma once

#include <string>

#include "infermeter/model/result.hpp"

namespace infermeter {

/// Failed judgements, a run that is not whole or not to be trusted, then what is undecided, warnings,
/// findings, and one notice with the main figures.
std::string result_to_github(const RunResult& result);
/// Of a verdict alone.
std::string verdict_to_github(const Verdict& verdict);

}  // namespace infermeter
