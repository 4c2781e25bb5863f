// The ways in which a server or a tool may write a text: escapes of single characters, and encodings of the
// whole. Pure; any thread. Private to this room.
#pragma once

#include <array>
#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace infermeter {

/// A character written as an escape: its length in the text, and the bytes that it means.
struct EscapedCharacter {
  std::size_t length = 0;  // 0: there is none
  std::array<char, 4> bytes{};
  std::size_t size = 0;
  std::string_view meaning() const { return {bytes.data(), size}; }
};

/// The escape at the front of `text`: "%6b" of URLs, "\u006b", "\x6b", "\/" and the like of JSON (escaped any
/// number of times), "&#107;" and "&amp;" of HTML.
EscapedCharacter escape_at(std::string_view text);

/// `value` in other alphabets, without the characters that its neighbours determine: hexadecimal with and
/// without marks between the bytes, and base64 at each of the three places where it may begin in what was
/// encoded, in both alphabets; for `any_case` also of the value in small and in capital letters.
std::vector<std::string> encodings(std::string_view value, bool any_case);

}  // namespace infermeter
