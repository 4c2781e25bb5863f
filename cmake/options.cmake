# Compile options that every target of the project shares, carried by one interface target.
add_library(infermeter_options INTERFACE)
target_include_directories(infermeter_options INTERFACE ${PROJECT_SOURCE_DIR}/include ${PROJECT_SOURCE_DIR}/src)
target_compile_options(infermeter_options INTERFACE -Wall -Wextra -Wpedantic -Wshadow -Wconversion -Wnon-virtual-dtor -Wold-style-cast
  -Wno-missing-field-initializers) # designated initialisers name the fields that matter; the rest have defaults
# Under -O2 g++ 12 sees overlapping copies inside std::string, copies beyond its end and optionals without a value where
# there are none (GCC bugs 105651, 105329, 80635). clang-tidy and the sanitizers look for these too.
target_compile_options(infermeter_options INTERFACE
  $<$<CXX_COMPILER_ID:GNU>:-Wno-restrict;-Wno-array-bounds;-Wno-stringop-overflow;-Wno-stringop-overread;-Wno-maybe-uninitialized>)
target_compile_definitions(infermeter_options INTERFACE INFERMETER_BUILD_TYPE="${CMAKE_BUILD_TYPE}" INFERMETER_VERSION="${PROJECT_VERSION}")

option(INFERMETER_WARNINGS_AS_ERRORS "Treat warnings as errors" OFF)
if(INFERMETER_WARNINGS_AS_ERRORS)
  target_compile_options(infermeter_options INTERFACE -Werror)
endif()

set(INFERMETER_SANITIZE "" CACHE STRING "Sanitizers, as -fsanitize takes them: address,undefined or thread")
if(INFERMETER_SANITIZE)
  add_compile_options(-fsanitize=${INFERMETER_SANITIZE} -fno-omit-frame-pointer -fno-sanitize-recover=all)
  add_link_options(-fsanitize=${INFERMETER_SANITIZE})
  if(INFERMETER_SANITIZE MATCHES "thread" AND CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
    add_compile_options(-Wno-tsan) # g++ warns of atomic_thread_fence in the standard library
  endif()
endif()

# Most of a file's time goes into the headers of the standard library, fmt, nlohmann and Catch2. So a room (a subfolder
# of a floor) is compiled as one source, about eight sources of a test program are, and these headers are precompiled,
# once for all floors and once for all tests.
# CI builds without both too, which proves that each file includes what it uses.
option(INFERMETER_TOGETHER "Compile several sources as one, with precompiled headers" ON)

# infermeter_together(<target> <source>…): one translation unit a folder of the sources.
function(infermeter_together target)
  if(NOT INFERMETER_TOGETHER)
    return()
  endif()
  set_target_properties(${target} PROPERTIES UNITY_BUILD ON UNITY_BUILD_MODE GROUP)
  # g++ takes the sources that the made one includes for headers.
  target_compile_options(${target} PRIVATE $<$<CXX_COMPILER_ID:GNU>:-Wno-subobject-linkage>)
  foreach(source IN LISTS ARGN)
    get_filename_component(room ${source} DIRECTORY)
    if(NOT IS_ABSOLUTE ${source})
      set_source_files_properties(${source} PROPERTIES UNITY_GROUP "room_${room}")
    endif()
  endforeach()
endfunction()

# infermeter_in_groups(<target> <source>…): translation units of about eight sources, so that two cores share a target.
function(infermeter_in_groups target)
  if(NOT INFERMETER_TOGETHER)
    return()
  endif()
  set_target_properties(${target} PROPERTIES UNITY_BUILD ON UNITY_BUILD_MODE GROUP)
  target_compile_options(${target} PRIVATE $<$<CXX_COMPILER_ID:GNU>:-Wno-subobject-linkage>)
  list(LENGTH ARGN count)
  math(EXPR groups "(${count} + 7) / 8")
  set(at 0)
  foreach(source IN LISTS ARGN)
    math(EXPR group "${at} * ${groups} / ${count}")
    set_source_files_properties(${source} PROPERTIES UNITY_GROUP "${target}_${group}")
    math(EXPR at "${at} + 1")
  endforeach()
endfunction()

# infermeter_precompiled(<target> <owner> <header>…): the owner's headers are compiled once; other targets take them.
function(infermeter_precompiled target owner)
  if(NOT INFERMETER_TOGETHER)
    return()
  elseif(target STREQUAL owner)
    target_precompile_headers(${target} PRIVATE ${ARGN})
  else()
    target_precompile_headers(${target} REUSE_FROM ${owner})
  endif()
endfunction()

# infermeter_floor(<folder> [HOT] SOURCES … [LINKS …] [PRIVATE …]): the library of one folder. HOT: it is on the way of
# every event, which costs 15 % more instructions under -O2 than under -O3; the others compile 20 to 40 % faster so.
function(infermeter_floor folder)
  cmake_parse_arguments(arg "HOT" "" "SOURCES;LINKS;PRIVATE" ${ARGN})
  add_library(infermeter_${folder} STATIC ${arg_SOURCES})
  target_link_libraries(infermeter_${folder} PUBLIC infermeter_options ${arg_LINKS} PRIVATE fmt::fmt ${arg_PRIVATE})
  if(arg_HOT)
    target_compile_options(infermeter_${folder} PRIVATE $<$<CONFIG:Release>:-O3>)
  endif()
  infermeter_together(infermeter_${folder} ${arg_SOURCES})
  infermeter_precompiled(infermeter_${folder} infermeter_base <algorithm> <chrono> <functional> <map> <optional> <ranges> <string>
    <vector> <fmt/format.h>)
endfunction()
