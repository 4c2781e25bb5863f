// A run read back from its folder. Any thread.
#pragma once

#include <span>
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

/// Judges the run anew: by `asserts`, else by the assertions that it was made with; without any its verdict
/// stays as it was saved. Throws EnvironmentError where a saved assertion cannot be read.
void judge_again(SavedRun& saved, std::span<const Threshold> asserts = {}, bool by_point = false);

}  // namespace infermeter
