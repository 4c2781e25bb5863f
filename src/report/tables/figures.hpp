// How one figure is written in a table: three significant digits, no digit finer than the records hold, and
// its interval. Private to src/report.
#pragma once

#include <string>

#include "infermeter/model/figures.hpp"
#include "infermeter/model/result.hpp"

namespace infermeter {

/// Three significant digits, thousands separated; at most three decimals, since records hold whole
/// microseconds.
std::string figure(double value);
/// A share in per cent with one decimal: 0.996 → "99.6 %".
std::string as_percent(double share);
/// The same without the sign: "99.6", "100".
std::string bare_percent(double share);
/// "91.8 ms", "12.0 s", "99.6 %", "$0.600", "3,140 tok/s".
std::string in_unit(double value, FigureUnit unit);
/// Whether times in milliseconds that share a unit are shown in seconds: if the typical or smallest one is
/// large.
bool shown_in_seconds(double least_ms, double most_ms);
/// "±1.2" with the decimals of the value above it, more only where it would be 0; both are scaled already.
std::string half_width(double value, double half);
/// The text under a percentile: "±1.2" (half the interval), "≥137" (a lower bound only), "≤90" (an upper
/// bound only: the low side of a rate) or nothing. `scale` applies to all.
std::string sureness(const Percentile& percentile, double scale);
/// "1 request", "12 requests": `plural` is the word for any number except one.
std::string counted(std::uint64_t count, std::string_view one, std::string_view plural);

}  // namespace infermeter
