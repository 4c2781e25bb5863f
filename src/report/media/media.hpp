// The one gate for text from outside (servers, files, command lines) on its way into an output: a function
// for each medium, and no renderer escapes by itself. In what they return, nothing can move a cursor, end its
// line, cell, attribute or script, start a formula or command, or reorder its neighbours. Pure; any thread.
#pragma once

#include <string>
#include <string_view>

namespace infermeter {

/// One line of text for any medium: control characters and line separators become spaces, invalid UTF-8 and
/// what reorders text (bidirectional controls) `?`. Nothing is removed: parts of a word cannot meet. With
/// `ascii`, glyphs are spelt (± as +-), the rest become `?`.
std::string printable(std::string_view text, bool ascii);

/// On a terminal, which may be the log of a CI job: neither "::warning::" nor "##[command]" is left in it,
/// and of a word of over 1,000 characters or a text of over 4000 the middle gives way to "…".
std::string terminal_text(std::string_view text, bool ascii);

/// JSON for a terminal or a file: characters of its strings that would move a cursor or reorder text are
/// written as escapes ("\\u009b"), so that its values stay as they are.
std::string terminal_json(std::string_view json);

/// A cell of CSV (RFC 4180) or TSV with text in it: what a spreadsheet would take for a formula (= + - @ at
/// its begin) gets an apostrophe in front. Numbers do not pass here.
std::string csv_cell(std::string_view text);
std::string tsv_cell(std::string_view text);

/// GitHub-flavoured, as prose, also in a table: nothing in it becomes markup, HTML, a mention, or a link to
/// an issue or an address.
std::string markdown_text(std::string_view text);
/// As inline code.
std::string markdown_code(std::string_view text);
/// The same in a cell of a table.
std::string markdown_cell_code(std::string_view text);
/// As a block of code; no text can end it early. Its lines are printable already.
std::string markdown_block(std::string_view text);

/// XML 1.0, for an attribute in double quotes or for content: markup is escaped; characters that XML does not
/// allow (control characters, invalid UTF-8) become a space or `?`.
std::string xml_text(std::string_view text);

/// For an element's text and for a quoted attribute.
std::string escape_html(std::string_view text);
/// JSON inside a script element: no character in it can end the script or begin a comment.
std::string script_json(std::string_view json);

/// The message of a GitHub workflow command: a line break would end it, and % starts an escape. Its lines, of
/// which each is made printable, are parted by "\n".
std::string github_message(std::string_view lines);
/// A property of the command; a comma or "::" would end it.
std::string github_property(std::string_view text);

}  // namespace infermeter
