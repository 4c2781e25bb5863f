// Results side by side: figures matched by load and target, each change with its interval and one word for
// it. Pure; any thread.
#pragma once

#include <span>
#include <string>

#include "infermeter/model/record.hpp"
#include "infermeter/model/side_by_side.hpp"

namespace infermeter {

struct NamedResult {
  std::string name;    // as it was given
  std::string source;  // "vLLM bench"; empty: our own
  const RunResult* run = nullptr;
  std::span<const RequestRecord> records;  // of all points, in any order; none: not at hand
};

/// The first one is the reference. One run a side: intervals from each run's own (MOVER on logarithms; shares
/// by Newcombe), which do not hold what differs between sessions. Several runs of a load in one result: by
/// run (Welch on logarithms). Needs two results at least.
SideBySide compare_results(std::span<const NamedResult> results);

}  // namespace infermeter
