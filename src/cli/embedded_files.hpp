// Configuration files compiled into the program: configs/scenarios and configs/vendors. Any thread.
#pragma once

#include <span>
#include <string_view>

namespace infermeter {

struct EmbeddedFile {
  std::string_view name;  // without its extension: "chat", "groq"
  std::string_view text;  // TOML
};

// Generated from the files (embedded.cmake), sorted by name.
std::span<const EmbeddedFile> scenario_files();
std::span<const EmbeddedFile> vendor_files();

}  // namespace infermeter
