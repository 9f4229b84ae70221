# install.cmake -- what is installed, and how others find it: find_package(cleave)
# and pkg-config. tests/package/ builds consumers of both, and runs a program.
include(CMakePackageConfigHelpers)
include(GNUInstallDirs)

set(package_dir ${CMAKE_INSTALL_LIBDIR}/cmake/cleave)
get_property(addons GLOBAL PROPERTY CLEAVE_ADDONS)
install(TARGETS cleave_static cleave_shared EXPORT cleaveTargets FILE_SET HEADERS)
install(TARGETS ${addons} FILE_SET HEADERS)
if(TARGET cleave_runtime)
  # For the tool, which finds them beside itself.
  install(TARGETS cleave_runtime FILE_SET HEADERS)
endif()
if(TARGET cleave_cuda)
  # Loaded by name from beside libcleave; nothing links it.
  install(TARGETS cleave_cuda LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR})
endif()
install(EXPORT cleaveTargets NAMESPACE cleave:: DESTINATION ${package_dir})

configure_package_config_file(cmake/cleaveConfig.cmake.in cleaveConfig.cmake
  INSTALL_DESTINATION ${package_dir}
  NO_SET_AND_CHECK_MACRO)
write_basic_package_version_file(cleaveConfigVersion.cmake COMPATIBILITY SameMinorVersion)
install(FILES
  ${CMAKE_CURRENT_BINARY_DIR}/cleaveConfig.cmake
  ${CMAKE_CURRENT_BINARY_DIR}/cleaveConfigVersion.cmake
  DESTINATION ${package_dir})

# The pkg-config file finds its prefix from its own place, so that the tree may
# be moved and `cmake --install --prefix` may choose it late.
cmake_path(IS_ABSOLUTE CMAKE_INSTALL_LIBDIR libdir_is_absolute)
if(libdir_is_absolute)
  set(pc_prefix ${CMAKE_INSTALL_PREFIX})
else()
  file(RELATIVE_PATH pc_prefix /${CMAKE_INSTALL_LIBDIR}/pkgconfig /)
  string(REGEX REPLACE "/$" "" pc_prefix "\${pcfiledir}/${pc_prefix}")
endif()
cmake_path(APPEND pc_libdir "\${prefix}" ${CMAKE_INSTALL_LIBDIR})
cmake_path(APPEND pc_includedir "\${prefix}" ${CMAKE_INSTALL_INCLUDEDIR})
configure_file(cmake/cleave.pc.in cleave.pc @ONLY)
install(FILES ${CMAKE_CURRENT_BINARY_DIR}/cleave.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig)
