// What is looked for in text.
#pragma once

#include <string>
#include <string_view>

namespace infermeter::test {

inline std::size_t times(std::string_view text, std::string_view part) {
  std::size_t n = 0;
  for (auto at = text.find(part); at != std::string_view::npos; at = text.find(part, at + 1)) ++n;
  return n;
}

/// A table's prose, which is wrapped, in one line.
inline std::string unwrapped(std::string_view text) {
  std::string out;
  for (const char c : text) {
    if (c != '\n' && c != ' ') out += c;
    if ((c == '\n' || c == ' ') && !out.ends_with(' ')) out += ' ';
  }
  return out;
}

inline bool has(std::string_view text, std::string_view part) {
  return text.find(part) != std::string_view::npos;
}

/// In prose, wherever its lines end.
inline bool says(std::string_view text, std::string_view words) { return has(unwrapped(text), words); }

}  // namespace infermeter::test
