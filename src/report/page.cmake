# Writes the files of src/report/page and the distribution's Chart.js into a source, so that a page needs nothing but
# itself. Their hashes stand in the page's content security policy, which lets no other script run.
set(page_source ${CMAKE_CURRENT_BINARY_DIR}/page_assets.cpp)

# Debian 12 and 13 and Ubuntu install version 3 or 4 in one of these places.
find_file(INFERMETER_CHART_JS
  NAMES chart.umd.min.js chart.umd.js chart.min.js
  PATHS /usr/share/javascript/chart.js /usr/share/nodejs/chart.js/dist /usr/share/javascript
  NO_DEFAULT_PATH)
if(NOT INFERMETER_CHART_JS)
  message(FATAL_ERROR "Chart.js is missing: install libjs-chart.js, or set INFERMETER_CHART_JS to its one-file build")
endif()

# SHA-256 in base64: CMake gives it in hexadecimal, three digits of which are two of base64.
function(infermeter_csp_hash path out)
  set(alphabet ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/)
  file(SHA256 ${path} hex)
  string(APPEND hex 00) # 256 bits do not fill the last digit; what is beyond becomes "="
  set(base64 "")
  foreach(from RANGE 0 63 3)
    string(SUBSTRING ${hex} ${from} 3 digits)
    math(EXPR high "0x${digits} >> 6")
    math(EXPR low "0x${digits} & 63")
    string(SUBSTRING ${alphabet} ${high} 1 first)
    string(SUBSTRING ${alphabet} ${low} 1 second)
    string(APPEND base64 ${first}${second})
  endforeach()
  string(SUBSTRING ${base64} 0 43 base64)
  set(${out} "sha256-${base64}=" PARENT_SCOPE)
endfunction()

# A definition of `PageAsset name()` that holds the file, in pieces: a literal may have 65,536 bytes.
function(infermeter_page_asset name path out)
  file(READ ${path} text)
  string(LENGTH "${text}" length)
  set(pieces "")
  set(from 0)
  while(from LESS length)
    string(SUBSTRING "${text}" ${from} 30000 piece)
    string(APPEND pieces "    R\"page(${piece})page\",\n")
    math(EXPR from "${from} + 30000")
  endwhile()
  infermeter_csp_hash(${path} hash)
  set(${out} "${${out}}
PageAsset ${name}() {
  static constexpr std::string_view kPieces[] = {
${pieces}  };
  return {kPieces, \"${hash}\"};
}
" PARENT_SCOPE)
endfunction()

# The page's own scripts are one script, in this order.
set(page_script "'use strict';\n")
foreach(part theme axes distributions timeline requests sweep gate start)
  set(path ${CMAKE_CURRENT_SOURCE_DIR}/page/${part}.js)
  file(READ ${path} text)
  string(APPEND page_script "${text}")
  set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${path})
endforeach()
file(CONFIGURE OUTPUT ${CMAKE_CURRENT_BINARY_DIR}/page.js CONTENT "@page_script@" @ONLY)

# A browser's tools would look for the map that its last line may name.
file(READ ${INFERMETER_CHART_JS} chart_js)
string(REGEX REPLACE "\n?//# sourceMappingURL=[^\n]*" "" chart_js "${chart_js}")
file(CONFIGURE OUTPUT ${CMAKE_CURRENT_BINARY_DIR}/chart.js CONTENT "@chart_js@" @ONLY)

set(page_definitions "")
infermeter_page_asset(page_template ${CMAKE_CURRENT_SOURCE_DIR}/page/page.html page_definitions)
infermeter_page_asset(page_style ${CMAKE_CURRENT_SOURCE_DIR}/page/page.css page_definitions)
infermeter_page_asset(page_script ${CMAKE_CURRENT_BINARY_DIR}/page.js page_definitions)
infermeter_page_asset(chart_library ${CMAKE_CURRENT_BINARY_DIR}/chart.js page_definitions)
set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${CMAKE_CURRENT_SOURCE_DIR}/page/page.html
  ${CMAKE_CURRENT_SOURCE_DIR}/page/page.css ${INFERMETER_CHART_JS})

file(CONFIGURE OUTPUT ${page_source} CONTENT [[
// Made by src/report/page.cmake.
#include "report/page/html_parts.hpp"

namespace infermeter {
@page_definitions@
}  // namespace infermeter
]] @ONLY)
