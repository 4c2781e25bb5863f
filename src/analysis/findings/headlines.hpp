// What a scenario was run to learn, in one or two sentences. Pure; any thread.
#pragma once

#include <string>
#include <vector>

#include "analysis/runs/run_records.hpp"
#include "infermeter/model/result.hpp"

namespace infermeter {

/// Of the first point of each target, which is named where there are several; a second sentence says whether
/// the SLOs held. Empty for a run that is no scenario of configs/scenarios, and where nothing ended ok.
/// `run` has its context fits already.
std::vector<std::string> make_headline(const RunResult& run, const RunPlaces& places);

}  // namespace infermeter
