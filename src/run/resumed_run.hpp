// A sweep that was broken off, read back so that only its unfinished points are measured. Private to src/run.
#pragma once

#include <string>
#include <vector>

#include "infermeter/base/clock.hpp"
#include "infermeter/model/record.hpp"
#include "infermeter/model/result.hpp"

namespace infermeter {

struct ResumedRun {
  RunResult run;
  std::vector<RequestRecord> records;  // of the finished points alone
  std::vector<bool> done;              // by point
  Instant origin;                      // so that what was kept lies before what is to come
};

/// `planned`: this run as it is described before its first request. Throws EnvironmentError where the folder
/// holds no run, UsageError where it holds another one.
ResumedRun read_resumed_run(const std::string& directory, const RunResult& planned);

}  // namespace infermeter
