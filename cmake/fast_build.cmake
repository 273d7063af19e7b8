# Build time: most of it is Eigen's and the standard library's headers, so they are compiled once (precompiled header) and
# several files of one stage make one translation unit (unity build). -DCAIRN_FAST_BUILD=OFF compiles file by file.

# Groups the sources of TARGET, at most SIZE of one folder below ROOT (src or apps) in a translation unit.
function(unity_groups target root size)
  get_target_property(sources ${target} SOURCES)
  set(stages)
  foreach(source ${sources})
    file(RELATIVE_PATH place ${PROJECT_SOURCE_DIR}/${root} ${source})
    if(place MATCHES "^\\.\\." OR NOT place MATCHES "/")
      continue()  # compiled alone: generated files, main.cpp
    endif()
    string(REGEX REPLACE "/.*" "" stage ${place})
    list(APPEND stages ${stage})
    list(APPEND members_${stage} ${source})
  endforeach()
  list(REMOVE_DUPLICATES stages)
  foreach(stage ${stages})
    set(count 0)
    foreach(source ${members_${stage}})
      math(EXPR batch "${count} / ${size}")
      math(EXPR count "${count} + 1")
      set_source_files_properties(${source} PROPERTIES UNITY_GROUP ${stage}_${batch})
    endforeach()
  endforeach()
  set_target_properties(${target} PROPERTIES UNITY_BUILD ON UNITY_BUILD_MODE GROUP)
endfunction()

# What no step runs compiles at -O1: code generation is most of the time of a unity file. Results are the same bits.
set(cold_targets cairn_setup cairn_io cairn_tools cairn_app)
foreach(target ${cold_targets})
  # g++ 12 takes vectors of Eigen's for uninitialised at -O1.
  target_compile_options(${target} PRIVATE "$<$<CONFIG:Release>:-O1;-Wno-maybe-uninitialized>")
endforeach()

# Inline functions are emitted by every target that calls them and the linker keeps the copy that comes first. The core
# comes before the program's own objects, so that steps run the -O3 copies.
target_link_options(cairn_app PRIVATE -Wl,--whole-archive,$<TARGET_FILE:cairn_core>,--no-whole-archive)

if(CAIRN_FAST_BUILD)
  # g++ collects garbage each time its heap has grown by a third; below 1.5 GB that only costs time.
  if(CMAKE_CXX_COMPILER_ID STREQUAL GNU)
    target_compile_options(cairn_flags INTERFACE "SHELL:--param ggc-min-heapsize=1500000")
  endif()
  # One precompiled header per level of optimisation: g++ refuses one of another level.
  target_precompile_headers(cairn_core PRIVATE ${PROJECT_SOURCE_DIR}/cmake/precompiled.hpp)
  target_precompile_headers(cairn_setup PRIVATE ${PROJECT_SOURCE_DIR}/cmake/precompiled_cold.hpp)
  foreach(target cairn_io cairn_tools cairn_app)
    target_precompile_headers(${target} REUSE_FROM cairn_setup)
  endforeach()
  foreach(target cairn_core cairn_setup cairn_io cairn_tools)
    unity_groups(${target} src 16)
  endforeach()
  unity_groups(cairn_app apps 16)
endif()
