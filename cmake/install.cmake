# What `cmake --install BUILD --prefix DIR` puts into DIR, in three components: program (with scenes, manual pages, completion),
# development (headers, libraries, CMake package, pkg-config file) and python (the module, where it is built).
include(GNUInstallDirs)
include(CMakePackageConfigHelpers)

install(TARGETS cairn_app RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR} COMPONENT program)
install(DIRECTORY scenes DESTINATION ${CMAKE_INSTALL_DATADIR}/cairn COMPONENT program)
install(SCRIPT cmake/install_documents.cmake COMPONENT program)
install(CODE "install_documents(\"$<TARGET_FILE:cairn_app>\" \"${PROJECT_BINARY_DIR}/package\")" COMPONENT program)

install(DIRECTORY include/cairn DESTINATION ${CMAKE_INSTALL_INCLUDEDIR} COMPONENT development FILES_MATCHING PATTERN "*.hpp")
install(TARGETS cairn_core cairn_io EXPORT cairnTargets ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR} COMPONENT development)

set(package_dir ${CMAKE_INSTALL_LIBDIR}/cmake/cairn)
install(EXPORT cairnTargets NAMESPACE cairn:: DESTINATION ${package_dir} COMPONENT development)
configure_package_config_file(cmake/cairnConfig.cmake.in ${PROJECT_BINARY_DIR}/package/cairnConfig.cmake
                              INSTALL_DESTINATION ${package_dir})
# Before 1.0 a minor version may break what it likes.
write_basic_package_version_file(${PROJECT_BINARY_DIR}/package/cairnConfigVersion.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${PROJECT_BINARY_DIR}/package/cairnConfig.cmake ${PROJECT_BINARY_DIR}/package/cairnConfigVersion.cmake
        DESTINATION ${package_dir} COMPONENT development)

file(RELATIVE_PATH CAIRN_PREFIX_FROM_PC /prefix/${CMAKE_INSTALL_LIBDIR}/pkgconfig /prefix)
set(CAIRN_PC_ASSIMP "")
if(CAIRN_ASSIMP)
  set(CAIRN_PC_ASSIMP ", assimp")
endif()
configure_file(cmake/cairn.pc.in ${PROJECT_BINARY_DIR}/package/cairn.pc @ONLY)
install(FILES ${PROJECT_BINARY_DIR}/package/cairn.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig COMPONENT development)

# Licences of Cairn and of what is compiled into it, and Debian's list of versions, one folder a package.
set(CAIRN_MAINTAINER "Cairn developers <root@localhost>" CACHE STRING "Maintainer named in Debian packages")
# Of the last commit, so that a build can be repeated.
execute_process(COMMAND git -C ${PROJECT_SOURCE_DIR} log -1 --format=%cD OUTPUT_VARIABLE CAIRN_DATE
                OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET RESULT_VARIABLE no_git)
if(no_git)
  set(CAIRN_DATE "Thu, 1 Jan 1970 00:00:00 +0000")
endif()
configure_file(packaging/changelog.in ${PROJECT_BINARY_DIR}/package/changelog @ONLY)
file(ARCHIVE_CREATE OUTPUT ${PROJECT_BINARY_DIR}/package/changelog.gz PATHS ${PROJECT_BINARY_DIR}/package/changelog
     FORMAT raw COMPRESSION GZip COMPRESSION_LEVEL 9 MTIME "1970-01-01")
set(packages cairn:program libcairn-dev:development)
if(CAIRN_PYTHON)
  list(APPEND packages python3-cairn:python)
endif()
foreach(package ${packages})
  string(REPLACE ":" ";" package ${package})
  list(GET package 0 name)
  list(GET package 1 component)
  install(FILES packaging/copyright ${PROJECT_BINARY_DIR}/package/changelog.gz DESTINATION ${CMAKE_INSTALL_DATADIR}/doc/${name} COMPONENT ${component})
endforeach()
