#include "workload/data/trace.hpp"

#include <fmt/format.h>

#include "infermeter/base/errors.hpp"

namespace infermeter {
namespace {

[[noreturn]] void refuse_trace(std::string_view file, std::uint64_t line, std::string_view rule) {
  throw UsageError(fmt::format("{}, line {}: {}", file, line, rule),
                   "--arrival trace needs a Mooncake trace, an Azure CSV, or JSONL with a `timestamp` in "
                   "milliseconds in each line.");
}

}  // namespace

std::vector<nanoseconds> trace_stamps(const ItemSource& items, std::string_view file) {
  std::vector<nanoseconds> stamps;
  stamps.reserve(items.size());
  nanoseconds first{};
  for (std::uint64_t i = 0; i < items.size(); ++i) {
    const auto stamp = items.stamp(i);
    if (!stamp) refuse_trace(file, items.line(i), "has no time stamp");
    if (i == 0) first = *stamp;
    const nanoseconds offset = *stamp - first;
    if (!stamps.empty() && offset < stamps.back())
      refuse_trace(file, items.line(i), "its time stamp runs back");
    stamps.push_back(offset);
  }
  return stamps;
}

}  // namespace infermeter
