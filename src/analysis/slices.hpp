// A point's requests by what they have in common: class, turn, cold or warm cache, cancelled. Pure; any
// thread.
#pragma once

#include <optional>
#include <vector>

#include "analysis/figures/windows.hpp"
#include "analysis/runs/run_records.hpp"
#include "infermeter/model/result.hpp"

namespace infermeter {

struct SliceRules {
  const LoadPoint& load;
  const std::optional<Window>& window;  // what rates are taken over: the whole measured phase
  const std::optional<Window>& steady;  // what goodput is taken over, as the point's is
  double tokens_per_event = 1;          // of what the server did not count
};

/// By class where there is more than one; by turn ("1" … "10", "11+") where there are conversations; by cache
/// where prompts or prefixes were sent more than once; by cancel where streams were picked for cancelling,
/// those that ended before it included. In this order.
std::vector<Slice> make_slices(const RunRecords& run, const SliceRules& rules);

}  // namespace infermeter
