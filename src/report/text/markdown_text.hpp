// Text from elsewhere inside GitHub-flavoured Markdown. Private to src/report.
#pragma once

#include <string>
#include <string_view>

namespace infermeter {

/// As prose, also in a table: nothing in it becomes markup, HTML, a mention, or a link to an issue or an
/// address.
std::string markdown_text(std::string_view text);
/// As inline code.
std::string markdown_code(std::string_view text);
/// The same in a cell of a table.
std::string markdown_cell_code(std::string_view text);
/// As a block of code; no text can end it early.
std::string markdown_block(std::string_view text);

}  // namespace infermeter
