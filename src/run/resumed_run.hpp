// An interrupted sweep, read back so that only its unfinished points are measured. Private to src/run.
#pragma once

#include <string>
#include <vector>

#include "infermeter/base/clock.hpp"
#include "infermeter/model/record.hpp"
#include "infermeter/model/result.hpp"

namespace infermeter {

struct ResumedRun {
  RunResult run;
  std::vector<RequestRecord> records;  // of the finished points only
  std::vector<bool> done;              // by point
  Instant origin;                      // so that kept records precede new ones
};

/// `planned`: the description of this run before its first request. Throws EnvironmentError if the folder
/// holds no run, UsageError if it holds a different one.
ResumedRun read_resumed_run(const std::string& directory, const RunResult& planned);

}  // namespace infermeter
