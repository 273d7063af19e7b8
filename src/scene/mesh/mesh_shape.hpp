// A shape "mesh" of a scene: the hulls that stand for it, its mass, and how it is drawn.
#pragma once

#include <optional>
#include <vector>

#include "mesh/triangle_mesh.hpp"
#include "model/shape/mass_properties.hpp"
#include "scene/mesh/mesh_files.hpp"

namespace cairn::scene {

struct MeshShape {
  std::vector<std::vector<Vec3>> hulls;  // corners, in the frame of the shape
  model::MassProperties solid;           // at density 1, in the frame of the shape
  std::string drawn;                     // name in MeshFiles::drawn()
  Vec3 drawn_scale = Vec3::Ones();
};

// Nothing after an error.
std::optional<MeshShape> read_mesh_shape(const Fields& fields, MeshFiles& files,
                                         SceneErrors& errors);

// A mesh that is only drawn, from "file" or "mesh".
std::optional<DrawnShape> read_drawn_shape(const Fields& fields, MeshFiles& files,
                                           SceneErrors& errors);

}  // namespace cairn::scene
