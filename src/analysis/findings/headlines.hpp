// The result that a scenario was run for, in one or two sentences. Pure; any thread.
#pragma once

#include <string>
#include <vector>

#include "analysis/runs/run_records.hpp"
#include "infermeter/model/result.hpp"

namespace infermeter {

/// Of the first point of each target (with its name if there are several); a second sentence says whether the
/// SLOs held. Empty for a run without a scenario of configs/scenarios, and where no request ended ok. `run`
/// must have its context fits already.
std::vector<std::string> make_headline(const RunResult& run, const RunPlaces& places);

}  // namespace infermeter
