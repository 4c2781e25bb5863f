#include "base/time_limit.hpp"

#include <fmt/format.h>

#include "infermeter/base/units.hpp"

namespace infermeter {

TimeLimit TimeLimit::within(Instant from, nanoseconds length, std::string_view option) const {
  TimeLimit tighter = *this;
  if (length >= end_ - from) return tighter;
  tighter.end_ = from + length;
  tighter.length_ = length;
  tighter.option_ = option;
  return tighter;
}

TimeLimit TimeLimit::stopped_by(const std::atomic<bool>& stop) const {
  TimeLimit other = *this;
  other.stop_ = &stop;
  return other;
}

std::string TimeLimit::text() const {
  if (stopped() || option_.empty()) return "interrupted";
  return fmt::format("{} ({})", format_duration(length_), option_);
}

}  // namespace infermeter
