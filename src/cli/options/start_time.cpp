#include "cli/options/start_time.hpp"

#include <fmt/format.h>

#include <charconv>
#include <chrono>
#include <optional>

#include "infermeter/base/errors.hpp"

namespace infermeter {
namespace {

using std::chrono::milliseconds;

/// Parses a time from left to right; each step returns whether the text matched.
class Cursor {
 public:
  explicit Cursor(std::string_view text) : rest_(text) {}

  bool at_end() const { return rest_.empty(); }
  bool skip(char wanted) {
    if (!rest_.starts_with(wanted)) return false;
    rest_.remove_prefix(1);
    return true;
  }
  /// Exactly `digits` digits, with a value of at most `most`.
  bool number(std::size_t digits, int most, int& out) {
    if (rest_.size() < digits) return false;
    const char* end = rest_.data() + digits;
    if (rest_[0] < '0' || rest_[0] > '9') return false;
    const auto [stop, error] = std::from_chars(rest_.data(), end, out);
    if (error != std::errc() || stop != end || out > most) return false;
    rest_.remove_prefix(digits);
    return true;
  }
  /// `.123456`: digits beyond milliseconds are cut off.
  milliseconds fraction() {
    if (!skip('.')) return {};
    int value = 0, scale = 100;
    for (; !rest_.empty() && rest_[0] >= '0' && rest_[0] <= '9'; rest_.remove_prefix(1), scale /= 10)
      value += scale * (rest_[0] - '0');
    return milliseconds(value);
  }

 private:
  std::string_view rest_;
};

std::optional<milliseconds> time_of_day(Cursor& in, bool seconds_too) {
  int hours = 0, minutes = 0, seconds = 0;
  if (!in.number(2, 23, hours) || !in.skip(':') || !in.number(2, 59, minutes)) return std::nullopt;
  if (in.skip(':') ? !in.number(2, 59, seconds) : seconds_too) return std::nullopt;
  return std::chrono::hours(hours) + std::chrono::minutes(minutes) + std::chrono::seconds(seconds) +
         in.fraction();
}

std::optional<milliseconds> offset(Cursor& in) {
  if (in.skip('Z') || in.skip('z')) return milliseconds(0);
  const bool ahead = in.skip('+');
  if (!ahead && !in.skip('-')) return std::nullopt;
  int hours = 0, minutes = 0;
  if (!in.number(2, 23, hours) || !in.skip(':') || !in.number(2, 59, minutes)) return std::nullopt;
  const milliseconds size = std::chrono::hours(hours) + std::chrono::minutes(minutes);
  return ahead ? size : -size;
}

/// RFC 3339.
std::optional<milliseconds> whole_instant(std::string_view text) {
  Cursor in(text);
  int year = 0, month = 0, day = 0;
  if (!in.number(4, 9999, year) || !in.skip('-') || !in.number(2, 12, month) || !in.skip('-') ||
      !in.number(2, 31, day))
    return std::nullopt;
  if (!in.skip('T') && !in.skip('t') && !in.skip(' ')) return std::nullopt;
  const auto time = time_of_day(in, true);
  const auto ahead = time ? offset(in) : std::nullopt;
  const std::chrono::year_month_day date{std::chrono::year(year),
                                         std::chrono::month(static_cast<unsigned>(month)),
                                         std::chrono::day(static_cast<unsigned>(day))};
  if (!ahead || !in.at_end() || !date.ok()) return std::nullopt;
  return std::chrono::sys_days(date).time_since_epoch() + *time - *ahead;
}

std::optional<milliseconds> of_today(std::string_view text, milliseconds now) {
  Cursor in(text);
  const auto time = time_of_day(in, false);
  if (!time) return std::nullopt;
  in.skip('Z');
  if (!in.at_end()) return std::nullopt;
  return std::chrono::floor<std::chrono::days>(now) + *time;
}

/// 17:55:36.
std::string clock_text(milliseconds at) {
  const std::chrono::hh_mm_ss time(at - std::chrono::floor<std::chrono::days>(at));
  return fmt::format("{:02}:{:02}:{:02}", time.hours().count(), time.minutes().count(),
                     time.seconds().count());
}

}  // namespace

std::int64_t parse_start_time(const std::string& origin, std::string_view text, std::int64_t now_unix_ms) {
  const milliseconds now(now_unix_ms);
  const bool today = text.size() > 2 && text[2] == ':';
  const auto at = today ? of_today(text, now) : whole_instant(text);
  if (!at)
    throw UsageError(fmt::format(
        "{}: '{}' is not a time such as 2026-01-31T12:00:00Z, or 12:00:00 of today (UTC)", origin, text));
  if (*at < now)
    throw UsageError(fmt::format("{}: '{}' has passed", origin, text),
                     today ? "Times are UTC; another day needs its date: 2026-01-31T12:00:00Z." : "");
  return at->count();
}

std::string utc_text(std::int64_t unix_ms) {
  const milliseconds at(unix_ms);
  const auto day = std::chrono::floor<std::chrono::days>(at);
  const std::chrono::year_month_day date{std::chrono::sys_days(day)};
  return fmt::format("{:04}-{:02}-{:02}T{}Z", static_cast<int>(date.year()),
                     static_cast<unsigned>(date.month()), static_cast<unsigned>(date.day()), clock_text(at));
}

std::string waiting_text(std::int64_t start_unix_ms, std::int64_t now_unix_ms) {
  using std::chrono::days, std::chrono::floor;
  const milliseconds start(start_unix_ms), now(now_unix_ms);
  if (start <= now) return {};
  if (floor<days>(start) != floor<days>(now)) return "waiting until " + utc_text(start_unix_ms);
  return fmt::format("waiting until {} UTC", clock_text(start));
}

}  // namespace infermeter
