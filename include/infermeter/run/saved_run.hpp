// A run read back from its folder. Private to src/run.
#pragma once

#include <string>
#include <vector>

#include "infermeter/model/record.hpp"
#include "infermeter/model/result.hpp"

namespace infermeter {

struct SavedRun {
  RunResult run;
  std::vector<RequestRecord> records;  // sorted by point and target
};

/// result.json says what was run, requests.jsonl what happened: the figures are made again from the records
/// by the same code as in the run, so that they are the same, and so that a killed run (whose result.json was
/// written before its first request) has figures too. Throws EnvironmentError in one line where a file is
/// missing or bad.
SavedRun read_saved_run(const std::string& directory);

}  // namespace infermeter
