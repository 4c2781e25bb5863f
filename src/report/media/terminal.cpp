#include <algorithm>
#include <array>
#include <utility>

#include "base/text.hpp"
#include "report/media/media.hpp"

namespace infermeter {
namespace {

constexpr std::array<std::pair<std::string_view, std::string_view>, 23> kSpelt{{
    {"±", "+-"}, {"≥", ">="},   {"≤", "<="},     {"×", "x"},    {"·", "*"},   {"²", "^2"},
    {"µ", "u"},  {"μ", "u"},    {"–", "-"},      {"—", "-"},    {"−", "-"},   {"‑", "-"},
    {"‐", "-"},  {"→", ">"},    {"…", "..."},    {"“", "\""},   {"”", "\""},  {"‘", "'"},
    {"’", "'"},  {"√", "sqrt"}, {"\u00a0", " "}, {"✔", "[ok]"}, {"✘", "[x]"},
}};

std::string_view spelt(std::string_view point) {
  const auto it = std::ranges::find(kSpelt, point, &std::pair<std::string_view, std::string_view>::first);
  return it == kSpelt.end() ? "?" : it->second;
}

/// "::name …::" at the begin of a word, which may become the begin of a line.
bool is_ci_command(std::string_view text, std::size_t at) {
  constexpr std::string_view kMark = "::";
  const bool begins = at == 0 || text[at - 1] == ' ';
  return begins && text.substr(at).starts_with(kMark) &&
         text.find(kMark, at + kMark.size()) != std::string_view::npos;
}

/// At most `most` characters: the middle gives way to "…", since the begin says what it is and the end often
/// where.
std::string without_middle(std::string_view text, std::size_t most, bool ascii) {
  if (text.size() <= most) return std::string(text);
  const std::size_t all = count_code_points(text);
  if (all <= most) return std::string(text);
  const std::string_view mark = ascii ? "..." : "…";
  const std::size_t kept = most - count_code_points(mark), front = kept / 2;
  const std::string_view before_end = first_code_points(text, all - (kept - front));
  return std::string(first_code_points(text, front)).append(mark).append(text.substr(before_end.size()));
}

/// A name of 100 kB must not hide the message that it stands in. No line of ours is longer than the widest
/// terminal.
std::string with_names_cut(std::string_view line, bool ascii) {
  constexpr std::size_t kLongestWord = 1000, kLongestLine = 4000;
  if (line.size() <= kLongestWord) return std::string(line);
  std::string out;
  while (!line.empty()) {
    const std::size_t word = std::min(line.find(' '), line.size());
    out += without_middle(line.substr(0, word), kLongestWord, ascii);
    line.remove_prefix(word);
    const std::size_t spaces = std::min(line.find_first_not_of(' '), line.size());
    out += line.substr(0, spaces);
    line.remove_prefix(spaces);
  }
  return without_middle(out, kLongestLine, ascii);
}

}  // namespace

std::string printable(std::string_view text, bool ascii) {
  std::string out;
  out.reserve(text.size());
  while (!text.empty()) {
    const std::string_view point = text.substr(0, utf8_length(text));
    if (point.empty() || is_reordering(point)) {
      out += '?';
    } else if (acts_on_terminal(point)) {
      out += ' ';
    } else {
      out += ascii && point.size() > 1 ? spelt(point) : point;
    }
    text.remove_prefix(std::max<std::size_t>(1, point.size()));
  }
  return out;
}

std::string terminal_text(std::string_view text, bool ascii) {
  const std::string shown = with_names_cut(printable(text, ascii), ascii);
  const std::string_view whole = shown;
  std::string out;
  out.reserve(shown.size());
  for (std::size_t at = 0; at < whole.size(); ++at) {
    const std::string_view rest = whole.substr(at);
    out += whole[at];
    if (is_ci_command(whole, at) || rest.starts_with("##[") || rest.starts_with("##vso[")) out += ' ';
  }
  return out;
}

std::string terminal_json(std::string_view json) {
  std::string out;
  out.reserve(json.size());
  append_shown_json(out, json);
  return out;
}

}  // namespace infermeter
