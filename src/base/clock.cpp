#include "infermeter/base/clock.hpp"

#include <fmt/chrono.h>
#include <time.h>

namespace infermeter {
namespace {

nanoseconds read_clock(clockid_t id) {
  timespec ts{};
  clock_gettime(id, &ts);
  return std::chrono::seconds(ts.tv_sec) + nanoseconds(ts.tv_nsec);
}

std::tm utc_now() {
  const std::time_t t = std::time(nullptr);
  std::tm out{};
  gmtime_r(&t, &out);
  return out;
}

}  // namespace

nanoseconds realtime_minus_monotonic() {
  nanoseconds best_width = nanoseconds::max();
  nanoseconds best{};
  for (int i = 0; i < 3; ++i) {
    const nanoseconds before = read_clock(CLOCK_MONOTONIC);
    const nanoseconds real = read_clock(CLOCK_REALTIME);
    const nanoseconds after = read_clock(CLOCK_MONOTONIC);
    if (after - before >= best_width) continue;
    best_width = after - before;
    best = real - (before + (after - before) / 2);
  }
  return best;
}

std::string utc_compact() { return fmt::format("{:%Y%m%d-%H%M%S}", utc_now()); }
std::string utc_iso8601(Instant at) {
  const auto real = at.time_since_epoch() + realtime_minus_monotonic();
  const auto seconds = std::chrono::floor<std::chrono::seconds>(real).count();
  const std::time_t t = static_cast<std::time_t>(seconds);
  std::tm out{};
  gmtime_r(&t, &out);
  return fmt::format("{:%Y-%m-%dT%H:%M:%SZ}", out);
}

std::string utc_iso8601() { return fmt::format("{:%Y-%m-%dT%H:%M:%SZ}", utc_now()); }

}  // namespace infermeter
