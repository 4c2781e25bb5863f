// What a sweep says on standard error besides its progress: loads that are too short for a steady rate,
// before the run; a row as each point ends, with the time left. Private to src/cli; pure.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "infermeter/base/clock.hpp"
#include "infermeter/model/plan.hpp"
#include "infermeter/model/result.hpp"

namespace infermeter {

/// Which loads of the plan have fewer than three requests a slot, and how many to ask for; empty: none. A
/// single request is not meant to have a rate.
std::string too_few_requests_words(const Plan& plan);

class SweepRows {
 public:
  /// The run begins at `start`; points of `planned` that are measured already (--resume) get no row. The plan
  /// must outlive it.
  SweepRows(const Plan& plan, const RunResult& planned, Instant start);
  /// The lines of the points that were measured since the last call, with the time left; empty for a single
  /// point.
  std::vector<std::string> take(const RunResult& so_far, Instant now);

 private:
  std::string time_left(nanoseconds elapsed) const;

  const Plan& plan_;
  Instant start_;
  std::vector<bool> shown_;  // by load point
  std::size_t measured_ = 0;
};

}  // namespace infermeter
