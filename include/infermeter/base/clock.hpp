// The one timeline of the program: CLOCK_MONOTONIC nanoseconds. Any thread may call these.
#pragma once

#include <chrono>
#include <string>

namespace infermeter {

using std::chrono::nanoseconds;

/// An instant on CLOCK_MONOTONIC (libstdc++'s steady_clock reads that clock in nanoseconds).
using Instant = std::chrono::time_point<std::chrono::steady_clock, nanoseconds>;
static_assert(std::is_same_v<std::chrono::steady_clock::duration, nanoseconds>);

/// Reads CLOCK_MONOTONIC. Only loops call it, once a turn; all code below them gets the time as a parameter.
inline Instant now() { return std::chrono::steady_clock::now(); }

/// CLOCK_REALTIME − CLOCK_MONOTONIC, from one clock read between two reads of the other (the narrowest of
/// three, about 0.1 µs wide). Maps the kernel's receive stamps, which are real time, onto our timeline.
nanoseconds realtime_minus_monotonic();

/// Whole microseconds from `origin` to `t`, rounded towards minus infinity.
inline std::int64_t micros_between(Instant origin, Instant t) {
  return std::chrono::floor<std::chrono::microseconds>(t - origin).count();
}

/// UTC wall time as 20261129-121501 (for folder names).
std::string utc_compact();
/// UTC wall time as 2026-11-29T12:15:01Z.
std::string utc_iso8601();
/// Of an instant of this process.
std::string utc_iso8601(Instant at);

}  // namespace infermeter
