#include <algorithm>
#include <string>

#include "report/media/media.hpp"

namespace infermeter {
namespace {

/// Spreadsheets take a cell for a formula by its first character, some also behind spaces or in its full
/// width.
std::string without_formula(const std::string& text) {
  const std::size_t first = std::min(text.find_first_not_of(' '), text.size());
  const std::string_view begin = std::string_view(text).substr(first);
  const bool wide = begin.starts_with("\uff1d") || begin.starts_with("\uff0b") ||
                    begin.starts_with("\uff0d") || begin.starts_with("\uff20");
  const bool formula =
      !begin.empty() && (wide || std::string_view("=+-@").find(begin.front()) != std::string_view::npos);
  return formula ? "'" + text : text;
}

}  // namespace

std::string csv_cell(std::string_view text) {
  const std::string shown = without_formula(printable(text, false));
  if (shown.find_first_of(",\"") == std::string::npos) return shown;
  std::string out = "\"";
  for (const char c : shown) out.append(c == '"' ? 2 : 1, c);
  return out + "\"";
}

// text/tab-separated-values has no quoting; a tab is a control character, which became a space.
std::string tsv_cell(std::string_view text) { return without_formula(printable(text, false)); }

}  // namespace infermeter
