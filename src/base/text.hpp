// Small functions over text that came from elsewhere: it may hold any bytes. Pure; any thread.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace infermeter {

/// Without white space (space, tab, CR, LF) at its ends.
std::string_view trim(std::string_view text);

/// ASCII's control characters, DEL among them.
bool is_control(char c);

/// ASCII letters in lower case, other bytes as they are.
std::string lower_case(std::string_view text);
bool equals_ignoring_case(std::string_view a, std::string_view b);

/// For messages: white space and control characters become one space each run, bytes that are no UTF-8 become
/// U+FFFD, at most `limit` bytes and no half character.
std::string one_line(std::string_view text, std::size_t limit);

/// Appends `text` as the inside of a JSON string; bytes that are no UTF-8 become U+FFFD.
void append_json_escaped(std::string& out, std::string_view text);

/// Bytes of the UTF-8 character at the front of `text`; 0 if there is none (text is empty or broken there).
std::size_t utf8_length(std::string_view text);

/// Code points of valid UTF-8.
std::uint64_t count_code_points(std::string_view text);

}  // namespace infermeter
