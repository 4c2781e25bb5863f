# Writes the processor and the versions of the libraries that are compiled in, for `infermeter --version`.
set(built_with_source ${CMAKE_CURRENT_BINARY_DIR}/built_with.cpp)
string(JOIN ", " built_with_libraries "fmt ${fmt_VERSION}" "simdjson ${simdjson_VERSION}" "toml++ ${tomlplusplus_VERSION}"
  "nlohmann_json ${nlohmann_json_VERSION}" "CLI11 ${CLI11_VERSION}" "spdlog ${spdlog_VERSION}" "Boost ${Boost_VERSION_STRING}" "libpng ${PNG_VERSION_STRING}")
file(CONFIGURE OUTPUT ${built_with_source} CONTENT [[
// Made by src/cli/built_with.cmake.
#include "cli/version.hpp"

namespace infermeter {

std::string_view processor() { return "@CMAKE_SYSTEM_PROCESSOR@"; }
std::string_view compiled_libraries() { return "@built_with_libraries@"; }

}  // namespace infermeter
]] @ONLY)
