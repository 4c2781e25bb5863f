# The program of the tarball and the wheel (script/release): the same objects as the distribution's, linked to archives
# instead of shared libraries. It needs nothing but glibc.
set(INFERMETER_PORTABLE "" CACHE PATH "Folder of script/release-libraries; adds the target infermeter_portable")
if(NOT INFERMETER_PORTABLE)
  return()
endif()

set(archives
  ${INFERMETER_PORTABLE}/libfmt.a ${INFERMETER_PORTABLE}/libsimdjson.a ${INFERMETER_PORTABLE}/libtomlplusplus.a
  ${INFERMETER_PORTABLE}/libcurl.a)
foreach(name nghttp2 ssl crypto png16 z)
  find_library(archive_of_${name} lib${name}.a REQUIRED)
  list(APPEND archives ${archive_of_${name}})
endforeach()

add_executable(infermeter_portable src/cli/main.cpp cmake/portable_unwinder.cpp)
target_compile_options(infermeter_portable PRIVATE $<TARGET_PROPERTY:infermeter,COMPILE_OPTIONS>)
target_link_libraries(infermeter_portable PRIVATE infermeter_options)
foreach(floor base model protocol workload analysis report io engine sim run cli)
  target_sources(infermeter_portable PRIVATE $<TARGET_OBJECTS:infermeter_${floor}>)
endforeach()
target_link_libraries(infermeter_portable PRIVATE ${archives} Threads::Threads)
target_link_options(infermeter_portable PRIVATE -static-libstdc++ -static-libgcc -Wl,--gc-sections -Wl,--as-needed)
set_target_properties(infermeter_portable PROPERTIES RUNTIME_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/portable OUTPUT_NAME infermeter)
