// A run read back from its folder. Any thread.
#pragma once

#include <cstdint>
#include <optional>
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

/// result.json contains what was planned, requests.jsonl and metrics.jsonl what happened. The figures are
/// recomputed from these by the same code as in the run, so that they are the same, and so that a killed run
/// (whose result.json was written before its first request) has figures too. Throws EnvironmentError in one
/// line if a file is missing or bad.
SavedRun read_saved_run(const std::string& directory);

/// Compares the targets with another one, or ranks them by another figure ("ttft.p95"); empty: as the run
/// did.
void compare_again(SavedRun& saved, std::optional<std::uint32_t> against, const std::string& sort);

/// Judges the run again: by `asserts`, else by its own assertions; without any, its verdict stays as saved.
/// Throws EnvironmentError if a saved assertion cannot be parsed.
void judge_again(SavedRun& saved, std::span<const Threshold> asserts = {}, bool by_point = false);

}  // namespace infermeter
