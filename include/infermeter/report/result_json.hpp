// result.json: the stable, machine-readable form of a run (docs/result-schema.md, docs/result.schema.json).
#pragma once

#include <string>
#include <string_view>

#include "infermeter/model/result.hpp"

namespace infermeter {

/// Key order fixed, absent is null or missing, NaN never appears; two-space indent.
std::string result_to_json(const RunResult& result);
/// Reads back what result_to_json wrote (same major schema version). Throws EnvironmentError naming what is
/// wrong.
RunResult result_from_json(std::string_view text);

}  // namespace infermeter
