# `cpack -G DEB` in a build tree of the preset package: cairn, libcairn-dev, python3-cairn. tools/packages does it all.
set(CPACK_PACKAGE_NAME cairn)
set(CPACK_PACKAGE_VERSION ${PROJECT_VERSION})
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY "rigid multibody simulator with a verdict on every step")
set(CPACK_PACKAGING_INSTALL_PREFIX /usr)
set(CPACK_STRIP_FILES ON)
set(CPACK_COMPONENTS_ALL program development)
if(CAIRN_PYTHON)
  list(APPEND CPACK_COMPONENTS_ALL python)
endif()

set(CPACK_DEB_COMPONENT_INSTALL ON)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_MAINTAINER ${CAIRN_MAINTAINER})
set(CPACK_DEBIAN_PACKAGE_CONTROL_STRICT_PERMISSION ON)
set(text "Simulates rigid bodies in hard contact with Coulomb friction: mechanisms,
piles, grains. Every step comes with a verdict on the solve, the motion and
the energy, which a second program confirms from the recording.")

set(CPACK_DEBIAN_PROGRAM_PACKAGE_NAME cairn)
set(CPACK_DEBIAN_PROGRAM_PACKAGE_SECTION science)
set(CPACK_DEBIAN_PROGRAM_PACKAGE_SHLIBDEPS ON)
set(CPACK_DEBIAN_PROGRAM_PACKAGE_SUGGESTS "chromium, ffmpeg")
set(CPACK_COMPONENT_PROGRAM_DESCRIPTION "${text}
.
This package has the program, with scenes, manual pages and completion.")

set(CPACK_DEBIAN_DEVELOPMENT_PACKAGE_NAME libcairn-dev)
set(CPACK_DEBIAN_DEVELOPMENT_PACKAGE_SECTION libdevel)
set(CPACK_DEBIAN_DEVELOPMENT_PACKAGE_DEPENDS
    "libeigen3-dev (>= 3.4), libexpected-dev, libfmt-dev (>= 9), libhdf5-dev (>= 1.10), libpugixml-dev, libqhull-dev, zlib1g-dev, pkg-config")
set(CPACK_DEBIAN_DEVELOPMENT_PACKAGE_SUGGESTS cmake)
set(CPACK_COMPONENT_DEVELOPMENT_DESCRIPTION "${text}
.
This package has headers and libraries for programs in C++.")

if(CAIRN_PYTHON)
  set(CPACK_DEBIAN_PYTHON_PACKAGE_NAME python3-cairn)
  set(CPACK_DEBIAN_PYTHON_PACKAGE_SECTION python)
  set(CPACK_DEBIAN_PYTHON_PACKAGE_SHLIBDEPS ON)
  # The module is for one minor version of Python.
  math(EXPR next "${CAIRN_PYTHON_MINOR} + 1")
  set(CPACK_DEBIAN_PYTHON_PACKAGE_DEPENDS
      "python3 (>= 3.${CAIRN_PYTHON_MINOR}~), python3 (<< 3.${next}), python3-numpy")
  set(CPACK_DEBIAN_PYTHON_PACKAGE_RECOMMENDS cairn)
  set(CPACK_DEBIAN_PYTHON_PACKAGE_SUGGESTS python3-matplotlib)
  set(CPACK_COMPONENT_PYTHON_DESCRIPTION "${text}
.
This package has the module for Python 3.")
endif()
include(CPack)
