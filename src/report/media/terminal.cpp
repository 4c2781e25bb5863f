#include <fmt/format.h>

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

/// Bidirectional marks, embeddings, overrides and isolates: with them a server could reverse the text beside
/// its own.
bool is_reordering(std::string_view point) {
  return point == "\u061c" || point == "\u200e" || point == "\u200f" ||
         (point >= "\u202a" && point <= "\u202e") || (point >= "\u2066" && point <= "\u2069");
}

bool ends_line(std::string_view point) { return point == "\u2028" || point == "\u2029"; }

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

}  // namespace

std::string printable(std::string_view text, bool ascii) {
  std::string out;
  out.reserve(text.size());
  while (!text.empty()) {
    const std::string_view point = text.substr(0, utf8_length(text));
    if (point.empty() || is_reordering(point)) {
      out += '?';
    } else if (control_length(point) > 0 || ends_line(point)) {
      out += ' ';
    } else {
      out += ascii && point.size() > 1 ? spelt(point) : point;
    }
    text.remove_prefix(std::max<std::size_t>(1, point.size()));
  }
  return out;
}

std::string terminal_text(std::string_view text, bool ascii) {
  const std::string shown = printable(text, ascii);
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
  while (!json.empty()) {
    const std::string_view point = json.substr(0, std::max<std::size_t>(1, utf8_length(json)));
    const bool acts =
        point.size() > 1 && (control_length(point) > 0 || is_reordering(point) || ends_line(point));
    const auto byte = [point](std::size_t i) { return static_cast<unsigned char>(point[i]) & 0x3fU; };
    // All of them have two or three bytes.
    if (acts && point.size() == 2) {
      out += fmt::format("\\u{:04x}", (static_cast<unsigned char>(point[0]) & 0x1fU) << 6 | byte(1));
    } else if (acts) {
      out += fmt::format("\\u{:04x}",
                         (static_cast<unsigned char>(point[0]) & 0xfU) << 12 | byte(1) << 6 | byte(2));
    } else {
      out += point == "\x7f" ? std::string_view("\\u007f") : point;
    }
    json.remove_prefix(point.size());
  }
  return out;
}

}  // namespace infermeter
