// `infermeter --version`: what this program is made of.
#pragma once

#include <string>
#include <string_view>

namespace infermeter {

/// "infermeter 0.1.0", then what it was built with, its features and the libraries that it runs with.
std::string version_text();

// Made by the build (built_with.cmake).
std::string_view processor();
/// "fmt 9.1.0, simdjson 3.0.1 …": what its headers were.
std::string_view compiled_libraries();

}  // namespace infermeter
