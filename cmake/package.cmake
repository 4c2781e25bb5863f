# `cpack` makes two .deb, of the program and of the library (script/package does it all). A package fits the release that
# it was built on, since the names of the libraries change with it (libsimdjson14 and 23, libfmt9 and 10); so the release
# stands in its name and version. Whatever is installed without a COMPONENT belongs to the program, and script/release
# puts it into the tarball too.
set(INFERMETER_HOMEPAGE "" CACHE STRING "Homepage of the package")
set(INFERMETER_MAINTAINER "infermeter maintainers" CACHE STRING "Maintainer of the package: NAME <ADDRESS>")

set(CPACK_GENERATOR DEB)
set(CPACK_PACKAGE_NAME infermeter)
set(CPACK_DEB_COMPONENT_INSTALL ON)
set(CPACK_COMPONENTS_ALL program library)
set(CPACK_COMPONENTS_GROUPING IGNORE)
set(CPACK_PACKAGE_VERSION ${PROJECT_VERSION})
set(CPACK_PACKAGE_CONTACT ${INFERMETER_MAINTAINER})
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY "benchmark of LLM inference servers")
set(CPACK_COMPONENT_PROGRAM_DESCRIPTION "infermeter streams requests to any OpenAI-compatible endpoint, stamps every chunk
with the kernel's time of arrival, and tells time to first token, time per
token, throughput and goodput, each with its interval. It says whether its own
numbers are to be trusted, and judges a candidate server against a baseline.
A simulator of an inference server is inside.")
set(CPACK_PACKAGING_INSTALL_PREFIX /usr)
set(CPACK_STRIP_FILES ON)
set(CPACK_INSTALL_DEFAULT_DIRECTORY_PERMISSIONS
  OWNER_READ OWNER_WRITE OWNER_EXECUTE GROUP_READ GROUP_EXECUTE WORLD_READ WORLD_EXECUTE)

file(STRINGS /etc/os-release os_release REGEX "^(ID|VERSION_ID|VERSION_CODENAME)=")
foreach(line IN LISTS os_release)
  string(REGEX MATCH "^([A-Z_]+)=\"?([^\"]*)" matched "${line}")
  set(os_${CMAKE_MATCH_1} "${CMAKE_MATCH_2}")
endforeach()
find_program(DPKG dpkg)
if(DPKG AND os_VERSION_CODENAME)
  execute_process(COMMAND ${DPKG} --print-architecture OUTPUT_VARIABLE architecture OUTPUT_STRIP_TRAILING_WHITESPACE)
  set(CPACK_DEBIAN_PACKAGE_ARCHITECTURE ${architecture})
  set(CPACK_DEBIAN_PACKAGE_VERSION ${PROJECT_VERSION}+${os_ID}${os_VERSION_ID})
  set(CPACK_DEBIAN_PROGRAM_FILE_NAME infermeter_${PROJECT_VERSION}_${os_VERSION_CODENAME}_${architecture}.deb)
  set(CPACK_DEBIAN_LIBRARY_FILE_NAME libinfermeter-dev_${PROJECT_VERSION}_${os_VERSION_CODENAME}_${architecture}.deb)
endif()
set(CPACK_DEBIAN_PROGRAM_PACKAGE_NAME infermeter)
set(CPACK_DEBIAN_PROGRAM_PACKAGE_SHLIBDEPS ON)
set(CPACK_DEBIAN_PROGRAM_PACKAGE_DEPENDS ca-certificates) # TLS is verified
set(CPACK_DEBIAN_PROGRAM_PACKAGE_SECTION utils)
set(CPACK_DEBIAN_LIBRARY_PACKAGE_NAME libinfermeter-dev)
set(CPACK_DEBIAN_LIBRARY_PACKAGE_SECTION libdevel)
set(CPACK_DEBIAN_LIBRARY_DESCRIPTION "infermeter as a C++ library: headers, an archive, a CMake package and a
pkg-config file, for programs that measure by themselves.")
set(CPACK_DEBIAN_LIBRARY_PACKAGE_DEPENDS # what infermeter-config.cmake finds
  "libcurl4-openssl-dev, libfmt-dev, libpng-dev, libsimdjson-dev, libtomlplusplus-dev, pkg-config")
set(CPACK_DEBIAN_PACKAGE_HOMEPAGE ${INFERMETER_HOMEPAGE})
include(CPack)
