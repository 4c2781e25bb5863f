// Until when something may go on. A command makes one value at its start, from its user's wish to stop and
// --max-time, and hands it down; a phase with an earlier end of its own hands down a tighter one. There is no
// timer: a loop that waits asks it with the time that it has. Any thread.
#pragma once

#include <algorithm>
#include <atomic>
#include <string>
#include <string_view>

#include "infermeter/base/clock.hpp"

namespace infermeter {

class TimeLimit {
 public:
  /// Without an end by time. The flag is the user's wish to stop; it must outlive all copies.
  // NOLINTNEXTLINE(google-explicit-constructor): a wish to stop is the limit of what has no other
  TimeLimit(const std::atomic<bool>& stop) : stop_(&stop) {}

  /// Ends at `from + length` too, if that is earlier; `option` is the one that says so, and a literal.
  TimeLimit within(Instant from, nanoseconds length, std::string_view option) const;
  /// The same end by time, with another wish to stop.
  TimeLimit stopped_by(const std::atomic<bool>& stop) const;

  bool stopped() const { return *stop_; }
  bool over(Instant at) const { return stopped() || at >= end_; }
  Instant end() const { return end_; }
  nanoseconds left(Instant at) const { return std::max(end_ - at, nanoseconds(0)); }
  /// "5 s (--timeout)"; "interrupted" if the user stopped it.
  std::string text() const;

 private:
  const std::atomic<bool>* stop_;
  Instant end_ = Instant::max();
  nanoseconds length_{};
  std::string_view option_;
};

}  // namespace infermeter
