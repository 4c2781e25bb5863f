// Compares results side by side: figures matched by load and target, each change with its interval and one
// word. Pure; any thread.
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
  std::span<const RequestRecord> records;  // of all points, in any order; empty: not available
};

/// The first one is the reference. With one run a side the intervals come from each run's own (MOVER on
/// logarithms; shares by Newcombe), which do not include the variation between sessions. With several runs of
/// a load in one result the comparison is by run (Welch on logarithms). Needs at least two results.
SideBySide compare_results(std::span<const NamedResult> results);

}  // namespace infermeter
