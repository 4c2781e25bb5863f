// --start-at: a common start time for several machines.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace infermeter {

/// `2026-01-31T12:00:00Z` (a fraction of a second or an offset such as +01:00 may follow), or `12:00:00` and
/// `12:00`, today in UTC. Milliseconds since 1970. `now_unix_ms` defines today. Throws UsageError naming
/// `origin` for anything else, and for a time in the past.
std::int64_t parse_start_time(const std::string& origin, std::string_view text, std::int64_t now_unix_ms);

/// 2026-01-31T12:00:00Z.
std::string utc_text(std::int64_t unix_ms);
/// "waiting until 12:00:00 UTC", with its date if that is on another day; empty if the time is not in the
/// future.
std::string waiting_text(std::int64_t start_unix_ms, std::int64_t now_unix_ms);

}  // namespace infermeter
