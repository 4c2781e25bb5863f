// The command lines in docs/ci.md and action.yml as a CI system would read them: supports only the YAML that
// these files use.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace infermeter {

/// The contents of the fenced blocks of one language ("yaml", "sh").
std::vector<std::string> fenced_blocks(std::string_view markdown, std::string_view language);

/// The values of all keys of this name, at any depth: plain, block (`|`: lines kept) or folded (`>-`: lines
/// joined). A plain item that continues on further lines is joined too; a list gives its items, one per line.
std::vector<std::string> values_of(std::string_view yaml, std::string_view key);

/// The error in the layout, with its line, or nothing: tabs, an odd indentation, a line that is neither a
/// key, an item, a comment nor part of a text.
std::string layout_fault(std::string_view yaml);

}  // namespace infermeter
