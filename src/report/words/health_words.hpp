// The health of the targets in words, the same in every format. Private to src/report.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "report/words/load_words.hpp"

namespace infermeter {

/// "12 of 100 failed".
std::string part_words(std::uint64_t failed, std::uint64_t requests);
/// "12 of 100 failed; latencies are of the others", with target and load where the run has several.
std::string health_words(const RunResult& result, const Health& health);
/// "9 × HTTP 429, 3 × cannot connect".
std::string failures_words(const Health& health);
/// Those that are not good, failed ones first.
std::vector<const Health*> complaints_of(const RunResult& result);
/// The worst of all; good for a run without any.
HealthState worst_health(const RunResult& result);
/// "1 of 240 failed": of those that are good; empty if none failed.
std::string few_failed_words(const RunResult& result);

}  // namespace infermeter
