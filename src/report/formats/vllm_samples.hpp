// The arrays of --save-detailed as samples. Private to src/report.
#pragma once

#include <nlohmann/json_fwd.hpp>

#include "model/bench_samples.hpp"

namespace infermeter {

/// Of `requests` requests, failed ones too; an array of another length is not used. Empty where there are
/// none.
BenchSamples vllm_samples(const nlohmann::json& saved, std::uint64_t requests);

}  // namespace infermeter
