// Spans and tables as HTML. Everything is escaped here: no text of a server, a file or a command line reaches
// a browser as markup. Private to src/report.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "report/text/page.hpp"

namespace infermeter {

/// Escaped for an element's text and for a quoted attribute.
std::string escape_html(std::string_view text);

/// A paragraph of unchanged spans.
std::string html_line(const std::vector<Span>& spans);
/// A paragraph of separate items behind a label, which may be empty.
std::string html_items(std::string_view label, const std::vector<Span>& items);
/// A paragraph of words behind a mark; a blank mark means that it continues the one above. Nothing without
/// words.
std::string html_prose(const Span& mark, const Span& words);

}  // namespace infermeter
