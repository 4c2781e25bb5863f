// A result to compare: our own, or another tool's.
#pragma once

#include <string>

#include "infermeter/run/saved_run.hpp"

namespace infermeter {

struct LoadedResult {
  std::string source;  // "vLLM bench"; empty: our own
  SavedRun saved;      // without records if there are none
};

/// Loads a run's folder, its result.json (with or without requests.jsonl), or a file of `vllm bench serve`.
/// Throws EnvironmentError that names the file.
LoadedResult load_result(const std::string& path);

}  // namespace infermeter
