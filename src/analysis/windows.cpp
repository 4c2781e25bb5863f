#include "windows.hpp"

#include <algorithm>

namespace infermeter {

namespace {

constexpr std::uint64_t kRequestsPerSlot = 3;

/// The earliest and latest of one instant over some records.
struct Extent {
  Micros first, last;
};

Extent extent(const Records& records, Micros RequestRecord::* instant) {
  Extent out;
  for (const auto* record : records) {
    const Micros at = record->*instant;
    if (!at) continue;
    out.first = out.first ? std::min(*out.first, *at) : *at;
    out.last = out.last ? std::max(*out.last, *at) : *at;
  }
  return out;
}

std::optional<Window> between(Micros from, Micros to) {
  if (!from || !to || *from >= *to) return std::nullopt;
  return Window{*from, *to};
}

/// The end of the n-th request to end, counted from 1.
Micros completion(const Records& records, std::size_t n) {
  std::vector<std::int64_t> ends;
  for (const auto* record : records) {
    if (record->started_us && record->end_us) ends.push_back(*record->end_us);
  }
  if (n == 0 || ends.size() < n) return std::nullopt;
  const auto nth = ends.begin() + static_cast<std::ptrdiff_t>(n) - 1;
  std::ranges::nth_element(ends, nth);
  return *nth;
}

}  // namespace

Window Window::part(std::int64_t b, std::int64_t n) const {
  const auto edge = [&](std::int64_t i) { return from_us + (to_us - from_us) * i / n; };
  return {edge(b), edge(b + 1)};
}

std::optional<Window> steady_window(const LoadPoint& load, const RunRecords& run) {
  if (load.open_loop) {
    const auto intended = extent(run.measured, &RequestRecord::intended_us);
    return between(intended.first, intended.last);
  }
  if (run.measured.size() < kRequestsPerSlot * load.concurrency) return std::nullopt;
  const auto last_start = extent(run.measured, &RequestRecord::started_us).last;
  return between(completion(run.all, load.concurrency), last_start);
}

std::optional<Window> whole_window(const RunRecords& run) {
  return between(extent(run.measured, &RequestRecord::started_us).first,
                 extent(run.measured, &RequestRecord::end_us).last);
}

}  // namespace infermeter
