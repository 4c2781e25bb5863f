# Writes the files of configs/scenarios into a source, so that the program has them wherever it stands.
set(scenario_source ${CMAKE_CURRENT_BINARY_DIR}/scenario_files.cpp)
file(GLOB scenario_paths CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/configs/scenarios/*.toml)
list(SORT scenario_paths)
set(scenario_entries "")
foreach(path IN LISTS scenario_paths)
  cmake_path(GET path STEM scenario_name)
  file(READ ${path} scenario_text)
  string(APPEND scenario_entries "    {\"${scenario_name}\", R\"toml(${scenario_text})toml\"},\n")
  set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${path})
endforeach()
file(CONFIGURE OUTPUT ${scenario_source} CONTENT [[
// Made from configs/scenarios by src/cli/scenarios.cmake.
#include "cli/scenarios.hpp"

namespace infermeter {
namespace {
constexpr ScenarioFile kFiles[] = {
@scenario_entries@};
}  // namespace

std::span<const ScenarioFile> scenario_files() { return kFiles; }

}  // namespace infermeter
]] @ONLY)
