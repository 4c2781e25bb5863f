// When the requests of a trace were sent: for --arrival trace. Pure.
#pragma once

#include <string_view>
#include <vector>

#include "infermeter/base/clock.hpp"
#include "workload/data/items.hpp"

namespace infermeter {

/// One an item, in their order: offsets from the first one's time stamp, ascending. Throws UsageError naming
/// `file` (and the line) where items have no time stamps (JSONL has them as `timestamp`, in milliseconds) or
/// one runs back.
std::vector<nanoseconds> trace_stamps(const ItemSource& items, std::string_view file);

}  // namespace infermeter
