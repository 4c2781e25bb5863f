// Saved results read back: to compare them, to merge shards, to resume a sweep. For one run as it was, see
// infermeter/run/saved_run.hpp.
#pragma once

#include <string>
#include <vector>

#include "infermeter/base/clock.hpp"
#include "infermeter/model/record.hpp"
#include "infermeter/model/result.hpp"
#include "infermeter/run/saved_run.hpp"

namespace infermeter {

/// A result to compare: our own, or another tool's.
struct LoadedResult {
  std::string source;  // "vLLM bench"; empty: our own
  SavedRun saved;      // without records if there are none
};

/// Loads a run's folder, its result.json (with or without requests.jsonl), or a file of `vllm bench serve`.
/// Throws EnvironmentError that names the file.
LoadedResult load_result(const std::string& path);

/// Reads the shards of one run from their folders and saves the merged run in a new one. Writes nothing if
/// they do not belong together or one is missing (merge_shards says which). Throws Error.
void merge_saved(const std::vector<std::string>& directories, bool allow_missing, const std::string& out);

/// An interrupted sweep, read back so that only its unfinished points are measured.
struct ResumedRun {
  RunResult run;
  std::vector<RequestRecord> records;  // of the finished points only
  std::vector<bool> done;              // by point
  Instant origin;                      // so that kept records precede new ones
};

/// `planned`: the description of this run before its first request; `simulated`: its targets are a simulator
/// that the run started, on whatever port. Throws EnvironmentError if the folder holds no run, UsageError if
/// it holds a different one.
ResumedRun read_resumed_run(const std::string& directory, const RunResult& planned, bool simulated);

}  // namespace infermeter
