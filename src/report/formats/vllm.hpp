// What `vllm bench serve --save-result --save-detailed` of vLLM 0.32 writes: the same keys, types, units and
// meanings (docs/reports.md has where ours must differ), so that scripts made for it read it.
#pragma once

#include <span>
#include <string>

#include "infermeter/model/record.hpp"
#include "infermeter/model/result.hpp"

namespace infermeter {

/// One JSON object a line for each load point and target, as its --append-result puts them; of a run with one
/// point a plain JSON file. `records` are all of the run, in any order.
std::string result_to_vllm(const RunResult& result, std::span<const RequestRecord> records);

}  // namespace infermeter
