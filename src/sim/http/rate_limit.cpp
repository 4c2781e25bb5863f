#include "sim/http/rate_limit.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace infermeter::sim {
namespace {

nanoseconds from_seconds(double s) { return nanoseconds(std::llround(s * 1e9)); }

std::int64_t rounded_up(nanoseconds d, nanoseconds unit) {
  return (d.count() + unit.count() - 1) / unit.count();
}

}  // namespace

RateVerdict RateLimit::take(double per_second, Instant at) {
  const double room = std::max(1.0, std::round(per_second));
  if (!begun_) level_ = room;
  const double passed = begun_ ? std::max(0.0, static_cast<double>((at - filled_).count()) / 1e9) : 0;
  level_ = std::min(room, level_ + passed * per_second);
  filled_ = begun_ ? std::max(filled_, at) : at;
  begun_ = true;
  RateVerdict verdict{.limit = static_cast<std::uint32_t>(room)};
  // Within a nanosecond of a whole request, because the sum of many refills is not exact.
  verdict.allowed = level_ >= 1 - per_second * 1e-9;
  if (verdict.allowed) {
    level_ = std::max(0.0, level_ - 1);
  } else {
    verdict.retry_after = from_seconds((1 - level_) / per_second);
  }
  verdict.remaining = static_cast<std::uint32_t>(level_);
  verdict.reset = from_seconds((room - level_) / per_second);
  return verdict;
}

std::string rate_headers(const RateVerdict& verdict, bool milliseconds) {
  using namespace std::chrono_literals;
  std::string lines = fmt::format(
      "x-ratelimit-limit-requests: {}\r\nx-ratelimit-remaining-requests: {}\r\n"
      "x-ratelimit-reset-requests: {}\r\n",
      verdict.limit, verdict.remaining, go_duration(verdict.reset));
  if (verdict.allowed) return lines;
  lines += fmt::format("retry-after: {}\r\n", rounded_up(verdict.retry_after, 1s));
  if (milliseconds) lines += fmt::format("retry-after-ms: {}\r\n", rounded_up(verdict.retry_after, 1ms));
  return lines;
}

std::string go_duration(nanoseconds d) {
  using namespace std::chrono_literals;
  const std::int64_t ms = rounded_up(d, 1ms);
  if (ms < 1000) return fmt::format("{}ms", ms);
  const std::int64_t minutes = ms / 60'000;
  const double seconds = static_cast<double>(ms % 60'000) / 1e3;
  return minutes > 0 ? fmt::format("{}m{}s", minutes, seconds) : fmt::format("{}s", seconds);
}

}  // namespace infermeter::sim
