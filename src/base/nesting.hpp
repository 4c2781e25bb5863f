// How deep a text from outside is nested. Parsers and what walks over their trees recurse once per level, and
// 160 kB of brackets end a program by a stack overflow: every text is measured before anything recursive sees
// it. All JSON and TOML is parsed through one door per library, which asks here: base/json_tree.hpp
// (nlohmann), base/json_scan.hpp (simdjson), io/files/config_file.cpp (toml++). Pure; any thread.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace infermeter {

/// Levels that are read. Schemas and tools of the field have 20; toml++ stops at 256 too.
inline constexpr std::size_t kMostLevels = 256;
/// For text that this program composed of parts that are each within kMostLevels: a request's body.
inline constexpr std::size_t kMostComposedLevels = 4 * kMostLevels;

/// Levels of brackets, those inside strings aside: 0 for a number, 2 for {"a":[]}. Of text that is no JSON at
/// least as many as a parser enters before it finds out.
std::size_t json_levels(std::string_view json);

/// Whether json_levels() is above `most`; text with no more than `most` opening brackets is not scanned.
bool is_too_deep(std::string_view json, std::size_t most = kMostLevels);

/// Levels of tables and arrays in a TOML document, dotted keys and headers ([a.b.c]) included.
struct TomlLevels {
  std::size_t levels = 0;
  int line = 1;  // that reaches them
};
TomlLevels toml_levels(std::string_view toml);

/// "nested 80,000 levels deep; 256 at most are read"
std::string too_deep_words(std::size_t levels);

/// Throws UsageError "<origin>: nested 80,000 levels deep; 256 at most are read".
void refuse_too_deep(std::string_view origin, std::string_view json);

}  // namespace infermeter
