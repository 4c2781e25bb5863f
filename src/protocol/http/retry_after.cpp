#include <algorithm>
#include <array>
#include <charconv>
#include <chrono>
#include <cmath>
#include <utility>

#include "base/text.hpp"
#include "protocol/http/outcome.hpp"

namespace infermeter {
namespace {

namespace chrono = std::chrono;

constexpr double kMostMs = 120'000;  // waiting for an hour would stop a benchmark

constexpr std::array<std::string_view, 12> kMonths{"jan", "feb", "mar", "apr", "may", "jun",
                                                   "jul", "aug", "sep", "oct", "nov", "dec"};

template <typename Number>
std::optional<Number> number_of(std::string_view text) {
  Number value{};
  const char* const end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, value);
  if (text.empty() || error != std::errc() || stop != end) return std::nullopt;
  return value;
}

std::optional<std::int64_t> capped_ms(double ms) {
  if (!std::isfinite(ms)) return std::nullopt;
  return static_cast<std::int64_t>(std::llround(std::clamp(ms, 0.0, kMostMs)));
}

std::optional<chrono::seconds> clock_time(std::string_view text) {
  if (text.size() != 8 || text[2] != ':' || text[5] != ':') return std::nullopt;
  const auto hours = number_of<int>(text.substr(0, 2)), minutes = number_of<int>(text.substr(3, 2)),
             seconds = number_of<int>(text.substr(6, 2));
  if (!hours || !minutes || !seconds) return std::nullopt;
  return chrono::hours(*hours) + chrono::minutes(*minutes) + chrono::seconds(*seconds);
}

// The parts of an HTTP date in any order: RFC 9110 requires recipients to accept three layouts, which differ
// only in order, dashes and digits of the year.
struct DateParts {
  std::optional<int> day, year;
  std::optional<unsigned> month;
  std::optional<chrono::seconds> time;

  void take(std::string_view word) {
    if (const auto clock = clock_time(word)) {
      time = clock;
    } else if (const auto number = number_of<int>(word)) {
      (day ? year : day) = number;
    } else {
      const auto found = std::find(kMonths.begin(), kMonths.end(), lower_case(word));
      if (found != kMonths.end()) month = static_cast<unsigned>(found - kMonths.begin()) + 1;
    }
  }
};

std::optional<chrono::sys_seconds> http_date(std::string_view text) {
  DateParts parts;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find_first_of(" ,-"), text.size());
    if (end > 0) parts.take(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  if (!parts.day || !parts.month || !parts.year || !parts.time) return std::nullopt;
  int year = *parts.year;
  if (year < 100) year += year < 70 ? 2000 : 1900;
  if (*parts.day < 1 || year < 1900 || year > 9999) return std::nullopt;
  const chrono::year_month_day date{chrono::year(year), chrono::month(*parts.month),
                                    chrono::day(static_cast<unsigned>(*parts.day))};
  if (!date.ok()) return std::nullopt;
  return chrono::sys_days(date) + *parts.time;
}

// "2031-10-21T07:28:00Z", "2031-10-21T07:28:00.5+02:00" (RFC 3339).
std::optional<chrono::sys_seconds> rfc_date(std::string_view text) {
  if (text.size() < 20 || text[4] != '-' || text[7] != '-' || (text[10] != 'T' && text[10] != ' '))
    return std::nullopt;
  const auto year = number_of<int>(text.substr(0, 4));
  const auto month = number_of<unsigned>(text.substr(5, 2)), day = number_of<unsigned>(text.substr(8, 2));
  const auto time = clock_time(text.substr(11, 8));
  if (!year || !month || !day || !time) return std::nullopt;
  const chrono::year_month_day date{chrono::year(*year), chrono::month(*month), chrono::day(*day)};
  if (!date.ok()) return std::nullopt;
  const auto zone = text.substr(std::min(text.find_first_of("+-", 19), text.size()));
  const auto hours = number_of<int>(zone.substr(std::min<std::size_t>(1, zone.size()), 2));
  const auto minutes = zone.size() == 6 ? number_of<int>(zone.substr(4, 2)) : std::nullopt;
  const chrono::seconds offset = chrono::hours(hours.value_or(0)) + chrono::minutes(minutes.value_or(0));
  return chrono::sys_days(date) + *time - (zone.starts_with('-') ? -offset : offset);
}

/// Milliseconds of the unit at the front of `text`, which is removed; 0 if there is none.
double take_unit(std::string_view& text) {
  constexpr std::array<std::pair<std::string_view, double>, 8> units{{{"ms", 1},
                                                                      {"ns", 1e-6},
                                                                      {"us", 1e-3},
                                                                      {"\xC2\xB5s", 1e-3},
                                                                      {"s", 1e3},
                                                                      {"m", 60e3},
                                                                      {"h", 3600e3},
                                                                      {"d", 86400e3}}};
  for (const auto& [unit, ms] : units) {
    if (!text.starts_with(unit)) continue;
    text.remove_prefix(unit.size());
    return ms;
  }
  return 0;
}

// Go's time.Duration as text: "1h2m3.5s", "12ms".
std::optional<double> go_duration_ms(std::string_view text) {
  double sum = 0;
  if (text.empty()) return std::nullopt;
  while (!text.empty()) {
    double value = 0;
    const auto [stop, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (error != std::errc()) return std::nullopt;
    text.remove_prefix(static_cast<std::size_t>(stop - text.data()));
    const double ms = take_unit(text);
    if (ms == 0) return std::nullopt;
    sum += value * ms;
  }
  return sum;
}

std::optional<std::int64_t> until_ms(std::optional<chrono::sys_seconds> then, std::string_view date) {
  const auto now = http_date(date);
  if (!then || !now) return std::nullopt;
  return capped_ms(static_cast<double>(chrono::milliseconds(*then - *now).count()));
}

}  // namespace

std::optional<std::int64_t> retry_after_ms(std::string_view retry_after, std::string_view retry_after_ms,
                                           std::string_view date) {
  if (const auto ms = number_of<double>(trim(retry_after_ms))) {
    if (const auto wait = capped_ms(*ms)) return wait;
  }
  if (const auto seconds = number_of<double>(trim(retry_after))) return capped_ms(*seconds * 1e3);
  return until_ms(http_date(retry_after), date);
}

std::optional<std::int64_t> reset_after_ms(std::string_view reset, std::string_view date) {
  constexpr double unix_from = 1e9;  // larger numbers are Unix times: September 2001 and later
  reset = trim(reset);
  if (const auto number = number_of<double>(reset)) {
    if (!(*number >= unix_from)) return capped_ms(*number * 1e3);
    const bool in_ms = *number >= unix_from * 1e3;
    const auto now = http_date(date);
    if (!now) return std::nullopt;
    const double now_s = static_cast<double>(now->time_since_epoch().count());
    return capped_ms((in_ms ? *number / 1e3 - now_s : *number - now_s) * 1e3);
  }
  if (const auto ms = go_duration_ms(reset)) return capped_ms(*ms);
  const auto instant = rfc_date(reset);
  return until_ms(instant ? instant : http_date(reset), date);
}

}  // namespace infermeter
