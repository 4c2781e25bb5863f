// A result to compare: of ours, or of another tool.
#pragma once

#include <string>

#include "infermeter/run/saved_run.hpp"

namespace infermeter {

struct LoadedResult {
  std::string source;  // "vLLM bench"; empty: our own
  SavedRun saved;      // without records where there are none
};

/// A run's folder, its result.json, with or without requests.jsonl, or what `vllm bench serve` saved. Throws
/// EnvironmentError that names the file.
LoadedResult load_result(const std::string& path);

}  // namespace infermeter
