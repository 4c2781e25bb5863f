// When the requests of a trace were sent: for --arrival trace. Pure.
#pragma once

#include <string_view>
#include <vector>

#include "infermeter/base/clock.hpp"
#include "workload/data/items.hpp"

namespace infermeter {

/// One per item, in their order: offsets from the first item's time stamp, ascending. Throws UsageError
/// naming `file` (and the line) if items have no time stamps (JSONL has them as `timestamp`, in milliseconds)
/// or one is earlier than the previous one.
std::vector<nanoseconds> trace_stamps(const ItemSource& items, std::string_view file);

}  // namespace infermeter
