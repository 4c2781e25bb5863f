#include "report/text/text.hpp"

#include <algorithm>
#include <array>
#include <utility>

#include "base/text.hpp"

namespace infermeter {
namespace {

bool is_unit(std::string_view word) {
  constexpr std::array<std::string_view, 9> kUnits{"%", "ms", "s", "µs", "pts", "req/s", "tok/s", "GB", "MB"};
  while (!word.empty() &&
         (word.back() == ',' || word.back() == '.' || word.back() == ';' || word.back() == ')'))
    word.remove_suffix(1);
  return std::ranges::find(kUnits, word) != kUnits.end();
}

/// Up to the next space that allows a line break: a figure stays with its unit, and "12 / 13" together.
std::size_t end_of_word(std::string_view text) {
  std::size_t space = text.find(' ');
  while (space > 0 && space < text.size()) {
    const auto next = text.substr(space + 1);
    const auto word = next.substr(0, next.find(' '));
    const char last = text[space - 1];
    const bool digit = last >= '0' && last <= '9';
    if (!(digit && (is_unit(word) || word == "/" || word == "…")) && !word.starts_with('%') && last != '/')
      break;
    space = text.find(' ', space + 1);
  }
  return std::min(space, text.size());
}

}  // namespace

std::string pad_left(std::string text, std::size_t width) {
  const std::size_t taken = columns(text);
  if (taken < width) text.insert(0, width - taken, ' ');
  return text;
}

std::string pad_right(std::string text, std::size_t width) {
  const std::size_t taken = columns(text);
  if (taken < width) text.append(width - taken, ' ');
  return text;
}

std::string shorten(std::string_view text, std::size_t width, std::string_view mark) {
  if (columns(text) <= width) return std::string(text);
  const std::size_t kept = width - std::min(width, columns(mark));
  std::string out(first_code_points(text, kept));
  while (out.ends_with(' ')) out.pop_back();
  return out.append(mark);
}

std::vector<std::string> wrap(std::string_view text, std::size_t width) {
  std::vector<std::string> lines;
  std::string line;
  while (!text.empty()) {
    const std::size_t space = end_of_word(text);
    const std::string_view word = text.substr(0, space);
    text.remove_prefix(std::min(space + 1, text.size()));
    if (word.empty()) continue;
    if (!line.empty() && columns(line) + 1 + columns(word) > width)
      lines.push_back(std::exchange(line, std::string()));
    if (!line.empty()) line += ' ';
    line += word;
  }
  if (!line.empty()) lines.push_back(std::move(line));
  return lines;
}

}  // namespace infermeter
