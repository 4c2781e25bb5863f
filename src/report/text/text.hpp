// Text as a terminal shows it: widths and wrapping. Pure; UTF-8 throughout; a
// code point counts as one column, which holds for every glyph that the reporters use. Private to src/report.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/text.hpp"

namespace infermeter {

/// Columns that `utf8` takes: its code points.
inline std::size_t columns(std::string_view utf8) { return count_code_points(utf8); }

std::string pad_left(std::string text, std::size_t width);
std::string pad_right(std::string text, std::size_t width);

/// At most `width` columns, the end cut off behind `mark`.
std::string shorten(std::string_view text, std::size_t width, std::string_view mark);

/// Lines of at most `width` columns, broken at spaces; a longer word gets its own line.
std::vector<std::string> wrap(std::string_view text, std::size_t width);

}  // namespace infermeter
