#include "report/text/text.hpp"

#include <algorithm>
#include <array>
#include <utility>

#include "base/text.hpp"

namespace infermeter {
namespace {

constexpr std::array<std::pair<std::string_view, std::string_view>, 23> kSpelt{{
    {"±", "+-"}, {"≥", ">="},   {"≤", "<="},     {"×", "x"},    {"·", "*"},   {"²", "^2"},
    {"µ", "u"},  {"μ", "u"},    {"–", "-"},      {"—", "-"},    {"−", "-"},   {"‑", "-"},
    {"‐", "-"},  {"→", ">"},    {"…", "..."},    {"“", "\""},   {"”", "\""},  {"‘", "'"},
    {"’", "'"},  {"√", "sqrt"}, {"\u00a0", " "}, {"✔", "[ok]"}, {"✘", "[x]"},
}};

/// Bidirectional embeddings, overrides and isolates (U+202A … U+202E, U+2066 … U+2069): with them a server
/// could reverse the text beside its own.
bool is_reordering(std::string_view point) {
  return (point >= "\u202a" && point <= "\u202e") || (point >= "\u2066" && point <= "\u2069");
}

std::string_view spelt(std::string_view point) {
  const auto it = std::ranges::find(kSpelt, point, &std::pair<std::string_view, std::string_view>::first);
  return it == kSpelt.end() ? "?" : it->second;
}

/// Up to the next space that allows a line break: a figure stays with its per cent sign.
std::size_t end_of_word(std::string_view text) {
  std::size_t space = text.find(' ');
  while (space < text.size() && text.substr(space + 1).starts_with('%')) space = text.find(' ', space + 1);
  return std::min(space, text.size());
}

}  // namespace

std::string printable(std::string_view text, bool ascii) {
  std::string out;
  out.reserve(text.size());
  while (!text.empty()) {
    const std::string_view point = text.substr(0, utf8_length(text));
    if (point.empty()) {
      out += '?';
    } else if (control_length(point) > 0) {
      out += ' ';
    } else if (!is_reordering(point)) {
      out += ascii && point.size() > 1 ? spelt(point) : point;
    }
    text.remove_prefix(std::max<std::size_t>(1, point.size()));
  }
  return out;
}

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
