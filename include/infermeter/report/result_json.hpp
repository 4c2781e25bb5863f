// result.json and verdict.json: the stable, machine-readable forms of a run (docs/result-schema.md,
// docs/result.schema.json) and of a verdict (docs/verdict.schema.json), which stands in result.json as
// `verdict`, there without `schema_version`.
#pragma once

#include <string>
#include <string_view>

#include "infermeter/model/result.hpp"
#include "infermeter/model/verdict.hpp"

namespace infermeter {

/// Key order fixed, absent is null or missing, NaN never appears; two-space indent.
std::string result_to_json(const RunResult& result);
/// Reads back what result_to_json wrote (same major schema version). Throws EnvironmentError naming what is
/// wrong.
RunResult result_from_json(std::string_view text);

/// Key order fixed, absent is null, NaN never appears; two-space indent.
std::string verdict_to_json(const Verdict& verdict);
/// Reads back what verdict_to_json wrote (same major schema version). Throws EnvironmentError naming what is
/// wrong.
Verdict verdict_from_json(std::string_view text);

}  // namespace infermeter
