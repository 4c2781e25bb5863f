// The counted runs of a gate's candidate as one point, for assertions. Private to src/run.
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

/// The points of the pairs that count: those not set aside.
std::vector<std::uint32_t> counted_points(const RunResult& gate, const Verdict& verdict);

/// Merges the samples of these points and summarizes them; rates are over the candidate's own blocks. Pure.
PooledRun pooled_candidate(const RunResult& gate, std::span<const RequestRecord> records,
                           const std::vector<std::uint32_t>& points);

}  // namespace infermeter
