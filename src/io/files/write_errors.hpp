// What is said where a file cannot be written. Private to src/io/files and src/cli.
#pragma once

#include <string>
#include <string_view>

namespace infermeter {

/// Throws EnvironmentError: "cannot <action> <path>: <words>".
[[noreturn]] void refuse_file(std::string_view action, const std::string& path, int error);
/// Throws EnvironmentError: nothing can be written in this folder, with advice if it has no room.
[[noreturn]] void refuse_folder(const std::string& folder, int error);

}  // namespace infermeter
