#include "infermeter/base/units.hpp"

#include <fmt/format.h>

#include <array>
#include <charconv>
#include <cmath>
#include <optional>

#include "infermeter/base/errors.hpp"

namespace infermeter {
namespace {

struct Parsed {
  double value;
  std::string_view suffix;
};

// Digits, `_` between them, one point; then the rest.
std::optional<Parsed> split_number(std::string_view text) {
  std::string digits;
  std::size_t i = 0;
  for (; i < text.size(); ++i) {
    const char c = text[i];
    const bool sign = i == 0 && c == '-';
    if ((c >= '0' && c <= '9') || c == '.' || sign) {
      digits += c;
    } else if (c != '_' || digits.empty() || text[i - 1] == '_') {
      break;
    }
  }
  if (i > 0 && text[i - 1] == '_') return std::nullopt;
  double value = 0;
  const char* end = digits.data() + digits.size();
  const auto [stop, error] = std::from_chars(digits.data(), end, value);
  if (digits.empty() || error != std::errc() || stop != end) return std::nullopt;
  return Parsed{value, text.substr(i)};
}

[[noreturn]] void refuse(std::string_view option, std::string_view text, std::string_view rule) {
  throw UsageError(fmt::format("{}: '{}' is not {}", option, text, rule));
}

struct Unit {
  std::string_view name;
  double nanoseconds;
};
constexpr std::array<Unit, 6> kTimeUnits{
    {{"ns", 1}, {"us", 1e3}, {"µs", 1e3}, {"ms", 1e6}, {"s", 1e9}, {"m", 60e9}}};

std::optional<double> time_unit(std::string_view suffix) {
  if (suffix == "h") return 3600e9;
  for (const auto& unit : kTimeUnits) {
    if (unit.name == suffix) return unit.nanoseconds;
  }
  return std::nullopt;
}

std::optional<double> scale(std::string_view suffix) {
  if (suffix.empty()) return 1.0;
  if (suffix == "k" || suffix == "K") return 1e3;
  if (suffix == "M") return 1e6;
  return std::nullopt;
}

// "MB", "MiB", "M", in any case; nothing is bytes.
std::optional<double> bytes_in(std::string_view suffix) {
  while (suffix.starts_with(' ')) suffix.remove_prefix(1);
  if (suffix.ends_with('B') || suffix.ends_with('b')) suffix.remove_suffix(1);
  double base = 1000;
  if (suffix.size() == 2 && (suffix[1] == 'i' || suffix[1] == 'I')) {
    base = 1024;
    suffix.remove_suffix(1);
  }
  if (suffix.empty()) return 1;
  constexpr std::string_view powers = "kmgt";
  const auto power = powers.find(static_cast<char>(suffix[0] | 0x20));
  if (suffix.size() != 1 || power == std::string_view::npos) return std::nullopt;
  return std::pow(base, static_cast<double>(power + 1));
}

std::string with_thousands(std::string digits) {
  const std::size_t point = digits.find('.');
  const std::size_t first = digits.starts_with('-') ? 1 : 0;
  std::size_t i = point == std::string::npos ? digits.size() : point;
  while (i > first + 3) {
    i -= 3;
    digits.insert(i, ",");
  }
  return digits;
}

}  // namespace

nanoseconds parse_duration(std::string_view option, std::string_view text) {
  constexpr std::string_view rule = "a duration such as 250ms, 30s, 1.5m or 2h";
  const auto parsed = split_number(text);
  if (!parsed || parsed->value < 0) refuse(option, text, rule);
  if (parsed->value == 0 && parsed->suffix.empty()) return nanoseconds(0);
  const auto unit = time_unit(parsed->suffix);
  if (!unit) refuse(option, text, rule);
  const double total = parsed->value * *unit;
  if (total > 9e18) refuse(option, text, "a duration under 290 years");
  return nanoseconds(std::llround(total));
}

std::uint64_t parse_count(std::string_view option, std::string_view text) {
  constexpr std::string_view rule = "a whole number such as 128, 4k or 8_192";
  const auto parsed = split_number(text);
  const auto factor = parsed ? scale(parsed->suffix) : std::nullopt;
  if (!factor || parsed->value < 0) refuse(option, text, rule);
  const double value = parsed->value * *factor;
  if (value > 9e15 || std::abs(value - std::round(value)) > 1e-6) refuse(option, text, rule);
  return static_cast<std::uint64_t>(std::llround(value));
}

std::uint64_t parse_bytes(std::string_view option, std::string_view text) {
  constexpr std::string_view rule = "a size such as 64MB, 1.5GB or 512KiB";
  const auto parsed = split_number(text);
  const auto unit = parsed ? bytes_in(parsed->suffix) : std::nullopt;
  if (!unit || parsed->value < 0) refuse(option, text, rule);
  const double bytes = parsed->value * *unit;
  if (!(bytes >= 1 && bytes <= 9e15)) refuse(option, text, "a size from 1 byte to 9 PB");
  return static_cast<std::uint64_t>(bytes);
}

double parse_share(std::string_view option, std::string_view text) {
  constexpr std::string_view rule = "a share such as 10% or 0.1";
  const auto parsed = split_number(text);
  if (!parsed) refuse(option, text, rule);
  const double value = parsed->suffix == "%" ? parsed->value / 100 : parsed->value;
  if ((!parsed->suffix.empty() && parsed->suffix != "%") || value < 0 || value > 1)
    refuse(option, text, rule);
  return value;
}

double parse_number(std::string_view option, std::string_view text) {
  const auto parsed = split_number(text);
  const auto factor = parsed ? scale(parsed->suffix) : std::nullopt;
  if (!factor) refuse(option, text, "a number such as 2.5 or 4k");
  return parsed->value * *factor;
}

bool looks_like_duration(std::string_view text) {
  const auto parsed = split_number(text);
  return parsed && time_unit(parsed->suffix).has_value();
}

std::string format_number(double value, int significant) {
  if (!std::isfinite(value)) return "–";
  if (value == 0) return "0";
  // The exponent of the rounded value, so that 99.96 becomes 100 and not 100.0.
  const std::string scientific = fmt::format("{:.{}e}", value, significant - 1);
  int exponent = 0;
  const auto e = scientific.find('e');
  const char* from = scientific.data() + e + (scientific[e + 1] == '+' ? 2 : 1);
  std::from_chars(from, scientific.data() + scientific.size(), exponent);
  double rounded = 0;
  std::from_chars(scientific.data(), scientific.data() + scientific.size(), rounded);
  return with_thousands(fmt::format("{:.{}f}", rounded, std::max(0, significant - 1 - exponent)));
}

std::string format_count(std::uint64_t value) { return with_thousands(fmt::format("{}", value)); }

std::string format_bytes(std::uint64_t bytes) {
  constexpr std::array<std::string_view, 4> units{"kB", "MB", "GB", "TB"};
  if (bytes < 1000) return fmt::format("{} bytes", bytes);
  double value = static_cast<double>(bytes) / 1e3;
  std::size_t unit = 0;
  for (; value >= 1e3 && unit + 1 < units.size(); ++unit) value /= 1e3;
  return fmt::format("{:.4g} {}", value, units[unit]);
}

std::string format_duration(nanoseconds d) {
  const double ns = static_cast<double>(d.count());
  const double magnitude = std::abs(ns);
  const auto plain = [](double v) { return fmt::format("{:.4g}", v); };
  if (magnitude >= 3600e9) return plain(ns / 3600e9) + " h";
  if (magnitude >= 120e9) return plain(ns / 60e9) + " m";
  if (magnitude >= 1e9 || magnitude == 0) return plain(ns / 1e9) + " s";
  if (magnitude >= 1e6) return plain(ns / 1e6) + " ms";
  return plain(ns / 1e3) + " µs";
}

}  // namespace infermeter
