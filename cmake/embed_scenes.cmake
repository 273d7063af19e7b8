# Writes OUTPUT, a C++ file with the scenes of NAMES as text: `cairn reproduce` needs no files beside the program.
function(embed_scenes output)
  set(entries "")
  foreach(name ${ARGN})
    set(file ${PROJECT_SOURCE_DIR}/scenes/${name}.json)
    set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${file})
    file(READ ${file} text)
    string(APPEND entries "    {\"${name}\", R\"scene(${text})scene\"},\n")
  endforeach()
  file(CONFIGURE OUTPUT ${output} @ONLY CONTENT
"// Made by cmake/embed_scenes.cmake from the folder scenes.
#include \"reproduce/built_in_scenes.hpp\"

namespace cairn::reproduce {
namespace {
constexpr BuiltInScene scenes[] = {
@entries@};
}  // namespace

std::span<const BuiltInScene> built_in_scenes() {
  return scenes;
}

}  // namespace cairn::reproduce
")
endfunction()
