// Text from elsewhere inside Markdown, XML and HTML: it cannot become markup. Private to src/report.
#pragma once

#include <string>
#include <string_view>

namespace infermeter {

/// GitHub-flavoured, as prose, also in a table: nothing in it becomes markup, HTML, a mention, or a link to
/// an issue or an address.
std::string markdown_text(std::string_view text);
/// As inline code.
std::string markdown_code(std::string_view text);
/// The same in a cell of a table.
std::string markdown_cell_code(std::string_view text);
/// As a block of code; no text can end it early.
std::string markdown_block(std::string_view text);

/// XML 1.0, for an attribute in double quotes or for content: markup is escaped; characters that XML does not
/// allow (control characters, invalid UTF-8) become a space or `?`.
std::string xml_text(std::string_view text);

/// For an element's text and for a quoted attribute.
std::string escape_html(std::string_view text);

}  // namespace infermeter
