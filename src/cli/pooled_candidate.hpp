// All pairs' runs of a gate's candidate as one point, for assertions. Private to src/cli.
#pragma once

#include <span>
#include <vector>

#include "infermeter/model/record.hpp"
#include "infermeter/model/result.hpp"

namespace infermeter {

struct PooledRun {
  RunResult run;  // one point of one target
  std::vector<RequestRecord> records;
};

/// Samples are merged and summarized anew; rates are over the candidate's own turns. Pure.
PooledRun pooled_candidate(const RunResult& gate, std::span<const RequestRecord> records);

}  // namespace infermeter
