#include "model/secrets/spellings.hpp"

#include <algorithm>
#include <array>
#include <cctype>
#include <cstdint>
#include <utility>

#include "base/text.hpp"

namespace infermeter {
namespace {

int hex_digit(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  const char low = static_cast<char>(c | 0x20);
  return low >= 'a' && low <= 'f' ? low - 'a' + 10 : -1;
}

/// The value of exactly `count` hexadecimal digits at the front; -1: there are fewer.
std::int32_t hex_number(std::string_view text, std::size_t count) {
  if (text.size() < count) return -1;
  std::int32_t value = 0;
  for (const char c : text.substr(0, count)) {
    const int digit = hex_digit(c);
    if (digit < 0) return -1;
    value = value * 16 + digit;
  }
  return value;
}

EscapedCharacter byte_escape(std::size_t length, std::int32_t byte) {
  if (byte < 0) return {};
  return {length, {static_cast<char>(byte)}, 1};
}

/// In UTF-8; surrogates stand for no character of a key.
EscapedCharacter point_escape(std::size_t length, std::int32_t point) {
  if (point < 0 || point > 0xffff) return {};
  if (point < 0x80) return byte_escape(length, point);
  const auto continued = [point](int shift) { return static_cast<char>(0x80 | ((point >> shift) & 0x3f)); };
  if (point < 0x800) return {length, {static_cast<char>(0xc0 | (point >> 6)), continued(0)}, 2};
  return {length, {static_cast<char>(0xe0 | (point >> 12)), continued(6), continued(0)}, 3};
}

EscapedCharacter percent_escape(std::string_view text) {
  std::size_t at = 1;
  while (text.substr(at).starts_with("25")) at += 2;  // encoded again
  if (const auto byte = hex_number(text.substr(at), 2); byte >= 0) return byte_escape(at + 2, byte);
  return byte_escape(3, hex_number(text.substr(1), 2));
}

/// JSON text inside a JSON string has each backslash twice.
EscapedCharacter backslash_escape(std::string_view text) {
  const std::size_t at = std::min(text.find_first_not_of('\\'), text.size());
  if (at == text.size()) return at % 2 == 0 ? byte_escape(2, '\\') : EscapedCharacter{};
  if (text[at] == 'u') {
    if (const auto escape = point_escape(at + 5, hex_number(text.substr(at + 1), 4)); escape.length > 0)
      return escape;
  }
  if (text[at] == 'x') {
    if (const auto escape = byte_escape(at + 3, hex_number(text.substr(at + 1), 2)); escape.length > 0)
      return escape;
  }
  // A slash's one backslash is two in the JSON around it, not three.
  if (text[at] == '/') return byte_escape(at + 1, '/');
  if (at % 2 == 0) return byte_escape(2, '\\');
  // JSON escapes a quote and may escape a slash, Markdown escapes any punctuation.
  return std::ispunct(static_cast<unsigned char>(text[at])) != 0 ? byte_escape(at + 1, text[at])
                                                                 : EscapedCharacter{};
}

EscapedCharacter numbered_entity(std::string_view text) {
  constexpr std::size_t kLongest = 8;
  const std::size_t end = text.substr(0, kLongest).find(';');
  if (end == std::string_view::npos) return {};
  std::string_view digits = text.substr(2, end - 2);
  const bool hex = !digits.empty() && (digits.front() | 0x20) == 'x';
  if (hex) digits.remove_prefix(1);
  std::int32_t point = digits.empty() ? -1 : 0;
  for (const char c : digits) {
    const int digit = hex_digit(c);
    if (digit < 0 || (!hex && digit > 9)) return {};
    point = point * (hex ? 16 : 10) + digit;
  }
  return point_escape(end + 1, point);
}

EscapedCharacter entity_escape(std::string_view text) {
  constexpr std::array<std::pair<std::string_view, char>, 5> kNamed{
      {{"&amp;", '&'}, {"&lt;", '<'}, {"&gt;", '>'}, {"&quot;", '"'}, {"&apos;", '\''}}};
  if (text.starts_with("&#")) return numbered_entity(text);
  for (const auto& [name, c] : kNamed) {
    if (text.starts_with(name)) return byte_escape(name.size(), c);
  }
  return {};
}

constexpr std::string_view kBase64 = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

/// `before` bytes precede the value in what was encoded.
std::string base64_core(std::string_view value, std::size_t before) {
  const std::size_t from = (8 * before + 5) / 6, to = 8 * (before + value.size()) / 6;
  const auto bit = [&](std::size_t at) -> unsigned {
    if (at < 8 * before) return 0;
    const auto byte = static_cast<unsigned char>(value[at / 8 - before]);
    return (byte >> (7 - at % 8)) & 1U;
  };
  std::string out;
  for (std::size_t sextet = from; sextet < to; ++sextet) {
    unsigned digit = 0;
    for (std::size_t i = 0; i < 6; ++i) digit = digit * 2 + bit(6 * sextet + i);
    out += kBase64[digit];
  }
  return out;
}

std::string url_alphabet(std::string text) {
  std::ranges::replace(text, '+', '-');
  std::ranges::replace(text, '/', '_');
  return text;
}

void add_once(std::string text, std::vector<std::string>& all) {
  if (std::ranges::find(all, text) == all.end()) all.push_back(std::move(text));
}

/// "73:6b:2d" with ':' between the bytes, "0x730x6b" with "0x" before each.
std::string hexadecimal(std::string_view value, std::string_view digits, std::string_view before,
                        std::string_view between) {
  std::string hex;
  for (const char c : value) {
    const auto byte = static_cast<unsigned char>(c);
    if (!hex.empty()) hex += between;
    hex += before;
    hex += digits[byte >> 4];
    hex += digits[byte & 15];
  }
  return hex;
}

/// Of a value that is sought in any case, one of both alphabets suffices.
void add_hexadecimal(std::string_view value, bool any_case, std::vector<std::string>& all) {
  for (const std::string_view digits : {"0123456789abcdef", "0123456789ABCDEF"}) {
    for (const std::string_view between : {"", ":", "-", " ", ","})
      add_once(hexadecimal(value, digits, "", between), all);
    for (const std::string_view between : {"", " ", ",", ", "})
      add_once(hexadecimal(value, digits, "0x", between), all);
    if (any_case) return;
  }
}

void add_encodings(std::string_view value, bool any_case, std::vector<std::string>& all) {
  add_hexadecimal(value, any_case, all);
  for (std::size_t before = 0; before < 3; ++before) {
    const std::string core = base64_core(value, before);
    add_once(core, all);
    add_once(url_alphabet(core), all);
  }
}

}  // namespace

EscapedCharacter escape_at(std::string_view text) {
  if (text.empty()) return {};
  switch (text.front()) {
    case '%':
      return percent_escape(text);
    case '\\':
      return backslash_escape(text);
    case '&':
      return entity_escape(text);
    default:
      return {};
  }
}

std::vector<std::string> encodings(std::string_view value, bool any_case) {
  std::vector<std::string> all;
  add_encodings(value, any_case, all);
  if (!any_case) return all;
  const std::string low = lower_case(value);
  std::string high(value);
  std::ranges::transform(high, high.begin(), [](unsigned char c) {
    return c >= 'a' && c <= 'z' ? static_cast<char>(c - 'a' + 'A') : static_cast<char>(c);
  });
  add_encodings(low, any_case, all);
  add_encodings(high, any_case, all);
  return all;
}

}  // namespace infermeter
