#include <fmt/format.h>

#include <algorithm>

#include "report/media/media.hpp"

namespace infermeter {
namespace {

/// GitHub and GitLab make these a mention or a link even behind a backslash; a zero-width space separates
/// them.
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

bool ends_with_letters(std::string_view text, std::string_view small) {
  if (text.size() < small.size()) return false;
  return std::ranges::equal(text.substr(text.size() - small.size()), small,
                            [](char c, char wanted) { return (c | 0x20) == wanted; });
}

/// Whether `before` and `behind` must not touch: @name, #12, !12, &12, GH-12, https://…, www.…
bool makes_link(std::string_view before, std::string_view behind) {
  const bool number = !behind.empty() && behind.front() >= '0' && behind.front() <= '9';
  switch (before.back()) {
    case '@':
    case '#':
      return true;
    case '!':
    case '&':
      return number;
    case '-':
      return number && ends_with_letters(before.substr(0, before.size() - 1), "gh");
    case ':':
      return behind.starts_with("//");
    default:
      return behind.starts_with('.') && ends_with_letters(before, "www");
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

/// Also of what ends an attribute.
std::string_view entity_within_quotes(char c) {
  if (c == '\'') return "&#39;";
  return c == '"' ? "&quot;" : entity(c);
}

/// U+FFFE and U+FFFF are valid UTF-8, but not characters of XML.
void replace_non_characters(std::string& text) {
  for (const std::string_view point : {"\xef\xbf\xbe", "\xef\xbf\xbf"}) {
    for (auto at = text.find(point); at != std::string::npos; at = text.find(point, at))
      text.replace(at, point.size(), "?");
  }
}

}  // namespace

std::string markdown_text(std::string_view text) {
  const std::string shown = printable(text, false);
  const std::string_view whole = shown;
  std::string out;
  for (std::size_t i = 0; i < whole.size(); ++i) {
    const std::string_view own = whole.substr(i, 1);
    if (std::string_view("\\`*_[]|~").find(own) != std::string_view::npos) out += '\\';
    out += entity(own.front()).empty() ? own : entity(own.front());
    if (makes_link(whole.substr(0, i + 1), whole.substr(i + 1))) out += kNoWidth;
  }
  return out;
}

std::string markdown_cell_code(std::string_view text) {
  std::string escaped;
  for (const char c : text) {
    if (c == '|') escaped += '\\';  // ends a cell even within code
    escaped += c;
  }
  return markdown_code(escaped);
}

std::string markdown_code(std::string_view text) {
  const std::string shown = printable(text, false);
  const std::string fence(longest_run(shown, '`') + 1, '`');
  // A space keeps backticks at the ends apart from the fence; renderers do not show it.
  const char* space = shown.starts_with('`') || shown.ends_with('`') ? " " : "";
  return fence + space + shown + space + fence;
}

std::string markdown_block(std::string_view text) {
  const std::string fence(std::max<std::size_t>(3, longest_run(text, '`') + 1), '`');
  return fence + "text\n" + std::string(text) + (text.ends_with('\n') ? "" : "\n") + fence + "\n";
}

std::string xml_text(std::string_view text) {
  std::string out;
  std::string shown = printable(text, false);
  replace_non_characters(shown);
  for (const char c : shown) {
    const std::string_view escaped = c == '\'' ? std::string_view() : entity_within_quotes(c);
    out += escaped.empty() ? std::string_view(&c, 1) : escaped;
  }
  return out;
}

std::string escape_html(std::string_view text) {
  std::string out;
  for (const char c : printable(text, false)) {
    const std::string_view escaped = entity_within_quotes(c);
    out += escaped.empty() ? std::string_view(&c, 1) : escaped;
  }
  return out;
}

// JSON may spell any character as an escape: these three have a meaning in HTML, U+2028 and U+2029 end a line
// of a script.
std::string script_json(std::string_view json) {
  std::string out;
  out.reserve(json.size());
  for (std::size_t i = 0; i < json.size(); ++i) {
    const char c = json[i];
    const std::string_view rest = json.substr(i, 3);
    if (c == '<' || c == '>' || c == '&') {
      out += fmt::format("\\u{:04x}", static_cast<unsigned char>(c));
    } else if (rest == "\u2028" || rest == "\u2029") {
      out += rest == "\u2028" ? "\\u2028" : "\\u2029";
      i += 2;
    } else {
      out += c;
    }
  }
  return out;
}

}  // namespace infermeter
