// Small functions for text from elsewhere, which may hold any bytes, and for names that were mistyped. Pure;
// any thread.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace infermeter {

/// Removes these characters (white space) at both ends.
std::string_view trim(std::string_view text, std::string_view white = " \t\r\n");

/// ASCII's control characters, DEL among them.
bool is_control(char c);
/// Bytes of the control character at the front of `text`; 2 for one of U+0080 … U+009F (some terminals
/// interpret U+009B as an escape); 0 if there is none.
std::size_t control_length(std::string_view text);

/// ASCII letters in lower case, other bytes unchanged.
std::string lower_case(std::string_view text);
bool equals_ignoring_case(std::string_view a, std::string_view b);

/// Digits, with a sign or a point.
bool is_decimal(std::string_view text);

/// For messages: each run of white space and control characters becomes one space, invalid UTF-8 becomes
/// U+FFFD; at most `limit` bytes and no partial character.
std::string one_line(std::string_view text, std::size_t limit);

/// Whether a terminal that shows this character does more than show it: control characters (C0, DEL, C1),
/// line and paragraph separators, and the bidirectional marks, embeddings, overrides and isolates, with which
/// a server could reverse the text beside its own.
bool acts_on_terminal(std::string_view character);
bool is_reordering(std::string_view character);

/// Appends `text` as the inside of a JSON string; invalid UTF-8 becomes U+FFFD, and what acts on a terminal
/// an escape.
void append_json_escaped(std::string& out, std::string_view text);
/// Appends JSON whose values stay the same, with escapes in its strings for what acts on a terminal; white
/// space between its parts stays too.
void append_shown_json(std::string& out, std::string_view json);

/// U+FFFD in UTF-8.
inline constexpr std::string_view kReplacementCharacter = "\xEF\xBF\xBD";

bool is_utf8(std::string_view text);

/// The text with each byte of invalid UTF-8 replaced.
std::string repaired_utf8(std::string_view text, std::string_view replacement = kReplacementCharacter);

/// Bytes of the UTF-8 character at the front of `text`; 0 if there is none (text is empty or broken there).
/// The only decoder: no overlong forms, no surrogates, nothing above U+10FFFF.
std::size_t utf8_length(std::string_view text);

/// Code points of valid UTF-8. Each takes one terminal column in all our output.
std::size_t count_code_points(std::string_view text);
/// At most this many code points, from the front.
std::string_view first_code_points(std::string_view text, std::size_t count);

/// "+12.3 %" for 0.123.
std::string signed_percent(double share);

/// The candidate with the least edit distance to `name`, if that is at most a third of its length (at least
/// 1).
std::optional<std::string> nearest_name(std::string_view name, std::span<const std::string> candidates);

/// Throws UsageError "<what>: '<name>' is not a known one; did you mean …?", with all known names as advice.
[[noreturn]] void refuse_unknown(std::string_view what, std::string_view name,
                                 std::span<const std::string> known);

}  // namespace infermeter
