# The library for programs that measure by themselves (docs/embedding.md): all floors but cli in one archive, the public
# headers, a CMake package and a pkg-config file. Its own component, and so a package of its own.
add_library(infermeter_library STATIC)
foreach(floor base model protocol workload analysis report io engine sim run)
  target_sources(infermeter_library PRIVATE $<TARGET_OBJECTS:infermeter_${floor}>)
endforeach()
set_target_properties(infermeter_library PROPERTIES OUTPUT_NAME infermeter EXPORT_NAME infermeter LINKER_LANGUAGE CXX)
target_compile_features(infermeter_library INTERFACE cxx_std_20)
target_include_directories(infermeter_library INTERFACE $<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}>)
target_link_libraries(infermeter_library PRIVATE fmt::fmt CURL::libcurl PNG::PNG PkgConfig::simdjson PkgConfig::tomlplusplus Threads::Threads)

set(package_folder ${CMAKE_INSTALL_LIBDIR}/cmake/infermeter)
include(CMakePackageConfigHelpers)
configure_package_config_file(cmake/infermeter-config.cmake.in ${PROJECT_BINARY_DIR}/infermeter-config.cmake
  INSTALL_DESTINATION ${package_folder})
write_basic_package_version_file(${PROJECT_BINARY_DIR}/infermeter-config-version.cmake COMPATIBILITY SameMinorVersion)
file(RELATIVE_PATH prefix_from_pc /${CMAKE_INSTALL_LIBDIR}/pkgconfig /)
configure_file(cmake/infermeter.pc.in ${PROJECT_BINARY_DIR}/infermeter.pc @ONLY)

install(TARGETS infermeter_library EXPORT infermeter ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR} COMPONENT library)
install(EXPORT infermeter NAMESPACE infermeter:: FILE infermeter-targets.cmake DESTINATION ${package_folder}
  COMPONENT library)
install(FILES ${PROJECT_BINARY_DIR}/infermeter-config.cmake ${PROJECT_BINARY_DIR}/infermeter-config-version.cmake
  DESTINATION ${package_folder} COMPONENT library)
install(FILES ${PROJECT_BINARY_DIR}/infermeter.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig COMPONENT library)
install(DIRECTORY include/infermeter DESTINATION ${CMAKE_INSTALL_INCLUDEDIR} COMPONENT library)
