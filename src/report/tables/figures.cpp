#include "report/tables/figures.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "infermeter/base/units.hpp"

namespace infermeter {
namespace {

constexpr std::size_t kMostDecimals = 3;

std::size_t decimals_of(const std::string& text) {
  const auto point = text.find('.');
  return point == std::string::npos ? 0 : text.size() - point - 1;
}

std::string fixed(double value, std::size_t decimals) {
  if (std::abs(value) >= 1000) return format_count(static_cast<std::uint64_t>(std::llround(std::abs(value))));
  return fmt::format("{:.{}f}", value, decimals);
}

bool reads_zero(const std::string& text) { return text.find_first_not_of("0.") == std::string::npos; }

}  // namespace

std::string figure(double value) {
  std::string text = format_number(value);
  if (decimals_of(text) > kMostDecimals) text = fmt::format("{:.{}f}", value, kMostDecimals);
  return reads_zero(text) ? "0" : text;
}

std::string bare_percent(double share) {
  const std::string text = fmt::format("{:.1f}", 100 * share);
  return text == "100.0" ? "100" : text;
}

std::string as_percent(double share) { return bare_percent(share) + " %"; }

std::string in_unit(double value, FigureUnit unit) {
  if (unit == FigureUnit::share) return as_percent(value);
  if (unit == FigureUnit::money) return std::string(symbol(unit)) + format_number(value);
  if (unit == FigureUnit::milliseconds && shown_in_seconds(value, value)) return figure(value / 1000) + " s";
  const std::string_view behind = symbol(unit);
  return figure(value).append(behind.empty() ? "" : " ").append(behind);
}

bool shown_in_seconds(double least_ms, double most_ms) {
  return least_ms >= 1000 || (most_ms >= 10'000 && least_ms >= 100);
}

std::string half_width(double value, double half) {
  if (half >= 1000) return "±" + figure(half);
  std::string text = fixed(half, decimals_of(figure(value)));
  for (std::size_t decimals = 1; reads_zero(text) && decimals <= kMostDecimals; ++decimals)
    text = fixed(half, decimals);
  if (half <= 0) return {};  // all samples are equal
  return reads_zero(text) ? "±<0.001" : "±" + text;
}

std::string sureness(const Percentile& percentile, double scale) {
  const auto &low = percentile.low, &high = percentile.high;
  if (low && high) return half_width(percentile.value * scale, (*high - *low) * scale / 2);
  if (low) return "≥" + figure(*low * scale);
  return high ? "≤" + figure(*high * scale) : std::string();
}

std::string counted(std::uint64_t count, std::string_view one, std::string_view plural) {
  return fmt::format("{} {}", format_count(count), count == 1 ? one : plural);
}

}  // namespace infermeter
