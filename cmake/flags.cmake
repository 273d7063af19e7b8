# Flags shared by every target. Results must not depend on the optimiser: no contraction, no fast-math.
add_library(cairn_flags INTERFACE)
target_compile_options(cairn_flags INTERFACE -Wall -Wextra -Wpedantic -Wshadow -Wconversion -ffp-contract=off
                       $<$<BOOL:${CAIRN_WERROR}>:-Werror>
                       # g++ 12 sees overlaps and overflows inside std::string and std::vector that are not there (its bug 105329).
                       "$<$<CXX_COMPILER_ID:GNU>:-Wno-restrict;-Wno-stringop-overflow;-Wno-array-bounds>"
                       # Square roots without a look at errno, so that loops over contacts take two at once; no result changes by it.
                       -fno-math-errno -fno-trapping-math
                       # Paths in messages are relative to the project.
                       -fmacro-prefix-map=${PROJECT_SOURCE_DIR}/=)
target_include_directories(cairn_flags INTERFACE ${PROJECT_SOURCE_DIR}/include ${PROJECT_SOURCE_DIR}/src)
# Eigen's alignment and allocator are pinned as in the installed package, whatever vectors the build is for.
target_compile_definitions(cairn_flags INTERFACE CAIRN_VERSION="${PROJECT_VERSION}" EIGEN_MPL2_ONLY
                           EIGEN_MAX_ALIGN_BYTES=16 EIGEN_MALLOC_ALREADY_ALIGNED=1
                           $<$<OR:$<BOOL:${CAIRN_DCHECKS}>,$<CONFIG:Debug>>:CAIRN_DCHECKS>)
get_target_property(eigen_include Eigen3::Eigen INTERFACE_INCLUDE_DIRECTORIES)
target_include_directories(cairn_flags SYSTEM INTERFACE ${eigen_include})
target_link_libraries(cairn_flags INTERFACE fmt::fmt tl::expected)

# What is installed for others to run: calls that overflow a buffer end the program in place of going on, and tables of
# addresses cannot be written. Results are the same bits (tools/hardening).
if(CAIRN_HARDENING)
  target_compile_options(cairn_flags INTERFACE -fstack-protector-strong -fstack-clash-protection -Wformat
                         -Werror=format-security "$<$<NOT:$<CONFIG:Debug>>:-U_FORTIFY_SOURCE;-D_FORTIFY_SOURCE=2>")
  target_link_options(cairn_flags INTERFACE -Wl,-z,relro -Wl,-z,now -Wl,-z,noexecstack)
  # No folders for libraries in the files: pip takes the module as it is in the build tree.
  set(CMAKE_BUILD_WITH_INSTALL_RPATH ON)
endif()
