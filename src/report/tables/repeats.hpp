// Loads that were measured more than once: `run --runs`, the pairs of a gate. Private to src/report.
#pragma once

#include <string>
#include <vector>

#include "report/words/load_words.hpp"

namespace infermeter {

/// The points grouped by load, loads in order of first appearance, each load's points by run and target.
std::vector<Points> by_load(const RunResult& result);

/// "between runs: TTFT p50 ±2.1 %, TPOT p50 ±0.8 %": the coefficient of variation over the runs of one target
/// and load; empty with fewer than two runs.
std::string spread_words(const Points& runs);

}  // namespace infermeter
