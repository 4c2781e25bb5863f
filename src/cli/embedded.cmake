# Writes the files of configs/scenarios and configs/vendors into a source, so that the program has them wherever it is
# installed.
set(embedded_source ${CMAKE_CURRENT_BINARY_DIR}/embedded_files.cpp)

# infermeter_embed(<variable> <folder>): rows of name and text, one for each TOML file of the folder.
function(infermeter_embed rows folder)
  file(GLOB paths CONFIGURE_DEPENDS ${folder}/*.toml)
  list(SORT paths)
  set(text "")
  foreach(path IN LISTS paths)
    cmake_path(GET path STEM name)
    file(READ ${path} content)
    string(APPEND text "    {\"${name}\", R\"toml(${content})toml\"},\n")
    set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${path})
  endforeach()
  set(${rows} "${text}" PARENT_SCOPE)
endfunction()

infermeter_embed(scenario_rows ${PROJECT_SOURCE_DIR}/configs/scenarios)
infermeter_embed(vendor_rows ${PROJECT_SOURCE_DIR}/configs/vendors)
file(CONFIGURE OUTPUT ${embedded_source} CONTENT [[
// Made from configs/scenarios and configs/vendors by src/cli/embedded.cmake.
#include "cli/embedded_files.hpp"

namespace infermeter {
namespace {
constexpr EmbeddedFile kScenarioFiles[] = {
@scenario_rows@};
constexpr EmbeddedFile kVendorFiles[] = {
@vendor_rows@};
}  // namespace

std::span<const EmbeddedFile> scenario_files() { return kScenarioFiles; }
std::span<const EmbeddedFile> vendor_files() { return kVendorFiles; }

}  // namespace infermeter
]] @ONLY)
