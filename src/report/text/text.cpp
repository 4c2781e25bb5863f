#include "report/text/text.hpp"

#include <algorithm>
#include <utility>

#include "base/text.hpp"

namespace infermeter {
namespace {

/// Up to the next space that allows a line break: a figure stays with its per cent sign.
std::size_t end_of_word(std::string_view text) {
  std::size_t space = text.find(' ');
  while (space < text.size() && text.substr(space + 1).starts_with('%')) space = text.find(' ', space + 1);
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
