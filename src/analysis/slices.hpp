// A point's requests grouped by a common property: class, turn, cold or warm cache, cancelled. Pure; any
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
  const std::optional<Window>& window;  // of rates and goodput, the same as the point's
  double tokens_per_event = 1;          // for requests that the server did not count
};

/// By class if there are several; by turn ("1" … "10", "11+") for conversations; by cache if prompts or
/// prefixes were sent more than once; by cancel if streams were picked for cancelling, with those that ended
/// before it. In this order.
std::vector<Slice> make_slices(const RunRecords& run, const SliceRules& rules);

}  // namespace infermeter
