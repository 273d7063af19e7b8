# What `cmake --install BUILD --prefix DIR` puts into DIR: headers, libraries, program, CMake package, pkg-config file.
include(GNUInstallDirs)
include(CMakePackageConfigHelpers)

install(DIRECTORY include/cairn DESTINATION ${CMAKE_INSTALL_INCLUDEDIR} FILES_MATCHING PATTERN "*.hpp")
install(TARGETS cairn_core cairn_io EXPORT cairnTargets ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR})
install(TARGETS cairn_app RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})

set(package_dir ${CMAKE_INSTALL_LIBDIR}/cmake/cairn)
install(EXPORT cairnTargets NAMESPACE cairn:: DESTINATION ${package_dir})
configure_package_config_file(cmake/cairnConfig.cmake.in ${PROJECT_BINARY_DIR}/package/cairnConfig.cmake
                              INSTALL_DESTINATION ${package_dir})
# Before 1.0 a minor version may break what it likes.
write_basic_package_version_file(${PROJECT_BINARY_DIR}/package/cairnConfigVersion.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${PROJECT_BINARY_DIR}/package/cairnConfig.cmake ${PROJECT_BINARY_DIR}/package/cairnConfigVersion.cmake
        DESTINATION ${package_dir})

file(RELATIVE_PATH CAIRN_PREFIX_FROM_PC /prefix/${CMAKE_INSTALL_LIBDIR}/pkgconfig /prefix)
set(CAIRN_PC_ASSIMP "")
if(CAIRN_ASSIMP)
  set(CAIRN_PC_ASSIMP ", assimp")
endif()
configure_file(cmake/cairn.pc.in ${PROJECT_BINARY_DIR}/package/cairn.pc @ONLY)
install(FILES ${PROJECT_BINARY_DIR}/package/cairn.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig)
