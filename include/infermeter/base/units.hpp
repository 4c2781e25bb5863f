// Values as people write and read them: `30s`, `1.5m`, `250ms`, `4k`, `8_192`, `10%`; three significant
// digits. Parsers throw UsageError naming the option, the value and the rule. All output is locale-proof.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "infermeter/base/clock.hpp"

namespace infermeter {

/// `30s`, `1.5m`, `250ms`, `10us`, `2h`, `0`; a bare number other than 0 is refused (no unit).
nanoseconds parse_duration(std::string_view option, std::string_view text);
/// `128`, `4k`, `1.5M`, `8_192`: a whole number ≥ 0 after scaling (k = 1000).
std::uint64_t parse_count(std::string_view option, std::string_view text);
/// `64MB`, `1.5GB`, `512KiB`, `4096`: bytes, at least 1 and at most 9 PB (kB, MB, GB, TB = 1000ⁿ; KiB, MiB,
/// GiB, TiB = 1024ⁿ; the B may be left out).
std::uint64_t parse_bytes(std::string_view option, std::string_view text);
/// `10%` or `0.1`: a share in [0, 1].
double parse_share(std::string_view option, std::string_view text);
/// A finite number; `_` may separate digits, `k` and `M` scale.
double parse_number(std::string_view option, std::string_view text);
/// True where `text` is a duration (digits and a unit of time), for options that take `N|10s`.
bool looks_like_duration(std::string_view text);

/// Three significant digits, thousands separated by commas: 0.0403 → "0.0403", 3139.6 → "3,140", 102.4 →
/// "102".
std::string format_number(double value, int significant = 3);
/// 12345 → "12,345".
std::string format_count(std::uint64_t value);
/// "64 MB", "1.5 GB", "512 bytes".
std::string format_bytes(std::uint64_t bytes);
/// "250 ms", "1.34 s", "10 m", "40 µs": with the unit that fits best.
std::string format_duration(nanoseconds d);

}  // namespace infermeter
