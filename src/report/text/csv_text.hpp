// Values as cells of a CSV file (RFC 4180). Private to src/report.
#pragma once

#include <fmt/format.h>

#include <cmath>
#include <concepts>
#include <optional>
#include <string>

#include "base/text.hpp"

namespace infermeter {

inline std::string csv_text(const std::string& given) {
  std::string text = repaired_utf8(given);
  if (text.find_first_of(",\"\r\n") == std::string::npos) return text;
  std::string quoted = "\"";
  for (const char c : text) quoted.append(c == '"' ? 2 : 1, c);
  return quoted + "\"";
}
inline std::string csv_text(double value) {
  return std::isfinite(value) ? fmt::format("{}", value) : std::string();
}
inline std::string csv_text(bool value) { return value ? "true" : "false"; }
template <typename T>
  requires std::integral<T>
std::string csv_text(T value) {
  return fmt::format("{}", value);
}
template <typename T>
std::string csv_text(const std::optional<T>& value) {
  return value ? csv_text(*value) : std::string();
}

}  // namespace infermeter
