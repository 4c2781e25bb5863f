// One load point measured from its first request to its last: warm-up, measurement, drain, without a gap
// between them. Blocks; main thread. What it returns are records; figures are made from them by analysis.
#pragma once

#include <atomic>
#include <string>
#include <vector>

#include "infermeter/engine/preflight.hpp"
#include "infermeter/engine/progress.hpp"
#include "infermeter/io/records_file.hpp"
#include "infermeter/workload/arrivals.hpp"

namespace infermeter {

struct SessionSetup {
  const Plan& plan;
  const PreparedTarget& prepared;
  const PromptSource& prompts;
  const Schedule& schedule;  // open loop; else empty
  std::uint32_t workers = 1;
  std::string run_id;
  RecordsFile* file = nullptr;
  ProgressStyle progress;
};

struct SessionRecords {
  std::vector<RequestRecord> records;  // by id
  Instant t0;                          // the run's start: origin of their offsets
  bool interrupted = false;
  std::string ended_early;          // why, or empty
  bool environment_failed = false;  // ended early by the error budget, or not one request went well
  double client_cpu_share = 0;
  std::string timestamp_source;  // "kernel" or "user": which of the two most reads had
  std::uint64_t backoffs = 0;
};

SessionRecords run_session(const SessionSetup& setup, const std::atomic<bool>& interrupt);

}  // namespace infermeter
