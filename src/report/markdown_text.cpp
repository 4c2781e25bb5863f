#include "markdown_text.hpp"

#include <algorithm>

#include "text.hpp"

namespace infermeter {
namespace {

/// GitHub makes @name a mention and #12 a link even behind a backslash: a space of no width parts them.
constexpr std::string_view kNoWidth = "&#8203;";

std::string_view entity(char c) {
  switch (c) {
    case '<':
      return "&lt;";
    case '>':
      return "&gt;";
    case '&':
      return "&amp;";
    default:
      return {};
  }
}

std::size_t longest_run(std::string_view text, char wanted) {
  std::size_t longest = 0, run = 0;
  for (const char c : text) {
    run = c == wanted ? run + 1 : 0;
    longest = std::max(longest, run);
  }
  return longest;
}

}  // namespace

std::string markdown_text(std::string_view text) {
  std::string out;
  for (const char c : printable(text, false)) {
    if (!entity(c).empty()) {
      out += entity(c);
      continue;
    }
    if (std::string_view("\\`*_[]|~").find(c) != std::string_view::npos) out += '\\';
    out += c;
    if (c == '@' || c == '#') out += kNoWidth;
  }
  return out;
}

std::string markdown_code(std::string_view text) {
  std::string shown;
  for (const char c : printable(text, false)) {
    if (c == '|') shown += '\\';  // ends a cell even within code
    shown += c;
  }
  const std::string fence(longest_run(shown, '`') + 1, '`');
  // A space keeps backticks at the ends apart from the fence, and is not shown.
  const char* space = shown.starts_with('`') || shown.ends_with('`') ? " " : "";
  return fence + space + shown + space + fence;
}

std::string markdown_block(std::string_view text) {
  const std::string fence(std::max<std::size_t>(3, longest_run(text, '`') + 1), '`');
  return fence + "text\n" + std::string(text) + (text.ends_with('\n') ? "" : "\n") + fence + "\n";
}

}  // namespace infermeter
