# What `cmake --install` puts down: the library, its public headers, a CMake package and a pkg-config file. All of it
# finds its way from where it lies, so the whole prefix may be moved.
include(CMakePackageConfigHelpers)

set(package_dir "${CMAKE_INSTALL_LIBDIR}/cmake/expose")

install(TARGETS expose EXPORT expose)
install(DIRECTORY expose DESTINATION "${CMAKE_INSTALL_INCLUDEDIR}"
  FILES_MATCHING PATTERN "*.hpp" PATTERN "simd" EXCLUDE
  PATTERN "map/circle.hpp" EXCLUDE PATTERN "map/without.hpp" EXCLUDE)
# simd is internal, but for its choice of an instruction set, which users may see and force.
install(FILES expose/simd/target.hpp DESTINATION "${CMAKE_INSTALL_INCLUDEDIR}/expose/simd")
install(EXPORT expose NAMESPACE expose:: FILE expose-targets.cmake DESTINATION "${package_dir}")

configure_package_config_file(cmake/expose-config.cmake.in expose-config.cmake INSTALL_DESTINATION "${package_dir}")
write_basic_package_version_file(expose-config-version.cmake COMPATIBILITY SameMinorVersion)
install(FILES "${PROJECT_BINARY_DIR}/expose-config.cmake" "${PROJECT_BINARY_DIR}/expose-config-version.cmake"
  DESTINATION "${package_dir}")

# A static library brings its needs along; a shared one has them inside.
if(NOT BUILD_SHARED_LIBS)
  set(pc_needs " -lhwy -pthread")
endif()
cmake_path(IS_ABSOLUTE CMAKE_INSTALL_LIBDIR absolute)
if(absolute)  # nothing to be relative to
  set(pc_prefix "${CMAKE_INSTALL_PREFIX}")
else()
  set(up "/prefix")
  cmake_path(RELATIVE_PATH up BASE_DIRECTORY "/prefix/${CMAKE_INSTALL_LIBDIR}/pkgconfig")
  set(pc_prefix "\${pcfiledir}/${up}")
endif()
cmake_path(APPEND pc_libdir "\${prefix}" "${CMAKE_INSTALL_LIBDIR}")
cmake_path(APPEND pc_includedir "\${prefix}" "${CMAKE_INSTALL_INCLUDEDIR}")
configure_file(cmake/expose.pc.in expose.pc @ONLY)
install(FILES "${PROJECT_BINARY_DIR}/expose.pc" DESTINATION "${CMAKE_INSTALL_LIBDIR}/pkgconfig")
