#include <algorithm>
#include <array>
#include <charconv>
#include <chrono>
#include <cmath>

#include "infermeter/protocol/http_outcome.hpp"
#include "plain_text.hpp"

namespace infermeter {
namespace {

namespace chrono = std::chrono;

constexpr double kMostMs = 120'000;  // an hour's wait would end a benchmark, not pace it

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

// The parts of an HTTP date in any order: RFC 9110 asks recipients to take three layouts, which differ only
// in order, dashes and digits of the year.
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

}  // namespace

std::optional<std::int64_t> retry_after_ms(std::string_view retry_after, std::string_view retry_after_ms,
                                           std::string_view date) {
  if (const auto ms = number_of<double>(trim(retry_after_ms))) {
    if (const auto wait = capped_ms(*ms)) return wait;
  }
  if (const auto seconds = number_of<double>(trim(retry_after))) return capped_ms(*seconds * 1e3);
  const auto until = http_date(retry_after), now = http_date(date);
  if (!until || !now) return std::nullopt;
  return capped_ms(static_cast<double>(chrono::milliseconds(*until - *now).count()));
}

}  // namespace infermeter
