// A hull out of a scene: points, a mesh file, or halfspaces.
#pragma once

#include "cairn/shape.hpp"
#include "scene/fields.hpp"
#include "scene/mesh/mesh_files.hpp"

namespace cairn::scene {

// From `vertices` as they stand; from `file` or `A`, `b` the extreme points, so that a description
// needs no file any more.
Hull read_hull(const Fields& fields, MeshFiles& files, SceneErrors& errors);

}  // namespace cairn::scene
