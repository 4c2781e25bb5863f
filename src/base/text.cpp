#include "base/text.hpp"

#include <fmt/format.h>
#include <simdjson.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>
#include <vector>

#include "infermeter/base/errors.hpp"

namespace infermeter {
namespace {

char lower(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; }

bool is_blank_or_control(char c) { return c == ' ' || is_control(c); }

// As a signed number 0x80 … 0xBF are the least: one comparison.
bool is_continuation(char c) { return static_cast<signed char>(c) < -64; }

// Length and least second byte of each lead byte (Unicode 15, table 3-7): no overlong forms, no surrogates.
struct Lead {
  std::size_t length;
  unsigned char second_from, second_to;
};

Lead lead_of(unsigned char first) {
  if (first < 0x80) return {1, 0, 0};
  if (first < 0xC2 || first > 0xF4) return {0, 0, 0};
  if (first < 0xE0) return {2, 0x80, 0xBF};
  if (first == 0xE0) return {3, 0xA0, 0xBF};
  if (first == 0xED) return {3, 0x80, 0x9F};
  if (first < 0xF0) return {3, 0x80, 0xBF};
  if (first == 0xF0) return {4, 0x90, 0xBF};
  return {4, 0x80, static_cast<unsigned char>(first == 0xF4 ? 0x8F : 0xBF)};
}

/// Of the first byte of a character: whether it may need an escape. U+0080 … U+009F begin with C2, U+061C
/// with D8, the others that act on a terminal with E2.
constexpr std::array<bool, 256> kMayNeedEscape = [] {
  std::array<bool, 256> all{};
  for (std::size_t c = 0; c < 0x20; ++c) all[c] = true;
  for (const std::size_t c : {0x22u, 0x5cu, 0x7fu, 0xc2u, 0xd8u, 0xe2u}) all[c] = true;
  return all;
}();

bool may_need_escape(char c) { return kMayNeedEscape[static_cast<unsigned char>(c)]; }

bool between(std::string_view character, std::string_view first, std::string_view last) {
  return character >= first && character <= last;
}

/// "\u009b": all that act on a terminal have at most three bytes.
void append_unicode_escape(std::string& out, std::string_view character) {
  const auto bits = [&](std::size_t i, unsigned mask) {
    return static_cast<unsigned char>(character[i]) & mask;
  };
  unsigned point = bits(0, 0x7f);
  if (character.size() == 2) point = bits(0, 0x1f) << 6 | bits(1, 0x3f);
  if (character.size() == 3) point = bits(0, 0xf) << 12 | bits(1, 0x3f) << 6 | bits(2, 0x3f);
  constexpr std::string_view kDigits = "0123456789abcdef";
  out += "\\u";
  for (int shift = 12; shift >= 0; shift -= 4) out += kDigits[(point >> shift) & 15U];
}

/// The short escape of a character that has one.
std::string_view short_escape(char c) {
  switch (c) {
    case '"':
      return "\\\"";
    case '\\':
      return "\\\\";
    case '\n':
      return "\\n";
    case '\r':
      return "\\r";
    case '\t':
      return "\\t";
    default:
      return {};
  }
}

/// Two letters in the wrong order are one mistake.
std::size_t edit_distance(std::string_view a, std::string_view b) {
  std::vector<std::size_t> before, above(b.size() + 1), row(b.size() + 1);
  for (std::size_t j = 0; j <= b.size(); ++j) row[j] = j;
  for (std::size_t i = 1; i <= a.size(); ++i) {
    before = std::exchange(above, row);
    row[0] = i;
    for (std::size_t j = 1; j <= b.size(); ++j) {
      row[j] = std::min({above[j] + 1, row[j - 1] + 1, above[j - 1] + (a[i - 1] == b[j - 1] ? 0 : 1)});
      const bool swapped = i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1];
      if (swapped) row[j] = std::min(row[j], before[j - 2] + 1);
    }
  }
  return row[b.size()];
}

}  // namespace

std::size_t control_length(std::string_view text) {
  if (text.empty()) return 0;
  if (is_control(text[0])) return 1;
  return text[0] == '\xC2' && text.size() > 1 && static_cast<unsigned char>(text[1]) < 0xA0 ? 2 : 0;
}

bool is_reordering(std::string_view character) {
  return character == "\u061c" || character == "\u200e" || character == "\u200f" ||
         between(character, "\u202a", "\u202e") || between(character, "\u2066", "\u2069");
}

bool acts_on_terminal(std::string_view character) {
  return control_length(character) > 0 || is_reordering(character) || between(character, "\u2028", "\u2029");
}

bool is_control(char c) { return static_cast<unsigned char>(c) < 0x20 || c == '\x7f'; }

std::string_view trim(std::string_view text, std::string_view white) {
  const auto first = text.find_first_not_of(white);
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(white) - first + 1);
}

std::string lower_case(std::string_view text) {
  std::string out(text);
  std::transform(out.begin(), out.end(), out.begin(), lower);
  return out;
}

bool is_decimal(std::string_view text) {
  if (!text.empty() && (text[0] == '-' || text[0] == '+')) text.remove_prefix(1);
  return !text.empty() && text.find_first_not_of("0123456789.") == std::string_view::npos && text != ".";
}

bool equals_ignoring_case(std::string_view a, std::string_view b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(),
                    [](char x, char y) { return lower(x) == lower(y); });
}

std::size_t utf8_length(std::string_view text) {
  if (text.empty()) return 0;
  const Lead lead = lead_of(static_cast<unsigned char>(text[0]));
  if (lead.length <= 1) return lead.length;
  if (text.size() < lead.length) return 0;
  const auto second = static_cast<unsigned char>(text[1]);
  if (second < lead.second_from || second > lead.second_to) return 0;
  const auto rest = text.substr(2, lead.length - 2);
  return std::all_of(rest.begin(), rest.end(), is_continuation) ? lead.length : 0;
}

bool is_utf8(std::string_view text) { return simdjson::validate_utf8(text.data(), text.size()); }

std::string repaired_utf8(std::string_view text, std::string_view replacement) {
  if (is_utf8(text)) return std::string(text);
  std::string out;
  while (!text.empty()) {
    const std::size_t length = utf8_length(text);
    out += length == 0 ? replacement : text.substr(0, length);
    text.remove_prefix(std::max<std::size_t>(length, 1));
  }
  return out;
}

std::size_t count_code_points(std::string_view text) {
  return static_cast<std::size_t>(
      std::count_if(text.begin(), text.end(), [](char c) { return !is_continuation(c); }));
}

std::string_view first_code_points(std::string_view text, std::size_t count) {
  std::size_t i = 0;
  for (; i < text.size(); ++i) {
    if (!is_continuation(text[i]) && count-- == 0) break;
  }
  return text.substr(0, i);
}

std::string signed_percent(double share) {
  const std::string digits = fmt::format("{:.1f}", 100 * std::abs(share));
  return fmt::format("{}{} %", share < 0 && digits != "0.0" ? "−" : "+", digits);
}

std::string one_line(std::string_view text, std::size_t limit) {
  std::string out;
  bool gap = false;
  while (!text.empty()) {
    if (is_blank_or_control(text.front())) {
      gap = !out.empty();
      text.remove_prefix(1);
      continue;
    }
    const std::size_t length = utf8_length(text);
    const auto piece = length == 0 ? kReplacementCharacter : text.substr(0, length);
    if (out.size() + piece.size() + (gap ? 1 : 0) > limit) break;
    if (gap) out += ' ';
    gap = false;
    out += piece;
    text.remove_prefix(std::max<std::size_t>(length, 1));
  }
  return out;
}

void append_json_escaped(std::string& out, std::string_view text) {
  if (!is_utf8(text)) return append_json_escaped(out, repaired_utf8(text));
  std::size_t from = 0;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (!may_need_escape(text[i])) continue;
    const std::string_view character = text.substr(i, utf8_length(text.substr(i)));
    const std::string_view escape = short_escape(text[i]);
    if (escape.empty() && !acts_on_terminal(character)) continue;
    out.append(text, from, i - from);
    if (escape.empty())
      append_unicode_escape(out, character);
    else
      out += escape;
    from = i + character.size();
    i = from - 1;
  }
  out.append(text, from);
}

void append_shown_json(std::string& out, std::string_view json) {
  std::size_t from = 0;
  for (std::size_t i = 0; i < json.size(); ++i) {
    // C0 stands only between the parts of JSON text, as white space.
    if (!may_need_escape(json[i]) || static_cast<unsigned char>(json[i]) < 0x20) continue;
    const std::string_view character = json.substr(i, utf8_length(json.substr(i)));
    if (!acts_on_terminal(character)) continue;
    out.append(json, from, i - from);
    append_unicode_escape(out, character);
    from = i + character.size();
    i = from - 1;
  }
  out.append(json, from);
}

std::optional<std::string> nearest_name(std::string_view name, std::span<const std::string> candidates) {
  std::size_t best = std::max<std::size_t>(1, name.size() / 3) + 1;
  std::optional<std::string> found;
  for (const auto& candidate : candidates) {
    const std::size_t distance = edit_distance(name, candidate);
    if (distance >= best) continue;
    best = distance;
    found = candidate;
  }
  return found;
}

void refuse_unknown(std::string_view what, std::string_view name, std::span<const std::string> known) {
  const auto near = nearest_name(name, known);
  std::string all;
  for (const auto& candidate : known) all += (all.empty() ? "known: " : ", ") + candidate;
  throw UsageError(fmt::format("{}: '{}' is not a known one{}", what, name,
                               near ? fmt::format("; did you mean '{}'?", *near) : ""),
                   all);
}

}  // namespace infermeter
