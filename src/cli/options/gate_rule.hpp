// Options of `gate` → by which rule it decides, and what fits into a budget. Private to src/cli. Pure.
#pragma once

#include <cstdint>
#include <span>

#include "analysis/gate/gate.hpp"
#include "cli/options/values.hpp"
#include "infermeter/base/clock.hpp"

namespace infermeter {

/// --metric, --min-effect, --max-effect, --max-error-increase, --session-effect, --force. Throws UsageError.
GateRule rule_of(const Values& own, bool with_slos);

/// What fits into a given time: so many pairs at most, each run so long.
struct GateBudget {
  std::uint32_t pairs = 0;
  nanoseconds run{};
};
/// As many pairs as leave each run ten seconds, the first look's at least. `around`: what a run takes beside
/// its measured phase. Throws UsageError where not even runs of two seconds fit.
GateBudget fit_budget(std::span<const std::uint32_t> looks, nanoseconds budget, nanoseconds around);

}  // namespace infermeter
