// The house rules that a machine can check (CONTRIBUTING.md). Pure: a file's path and text in, one line per
// breach out, so that a test can show every rule to fail on a literal text.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace infermeter::tidy {

/// A tracked C++ file; `path` from the top of the source tree, with '/'.
struct SourceFile {
  std::string path;
  std::string text;
};

/// Breaches of one file: "path:line: what is wrong".
std::vector<std::string> check_file(const SourceFile& file);

/// Breaches that only the whole tree shows: the number of sources that include Beast, duplicate type names.
std::vector<std::string> check_tree(const std::vector<SourceFile>& files);

/// Whether a CMakeLists.txt names `source` (a path relative to it) as a word of its own.
bool cmake_lists(std::string_view cmake_text, std::string_view source);

}  // namespace infermeter::tidy
