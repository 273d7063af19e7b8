// Triangles of shapes, for exports.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "cairn/model.hpp"

namespace cairn::exports {

// Corners are shared within a smooth part, doubled at edges. Triangles turn counterclockwise seen
// from outside.
struct Mesh {
  std::vector<Vec3> points;   // [m], or of a unit shape
  std::vector<Vec3> normals;  // outward, unit length [-]
  std::vector<std::array<std::uint32_t, 3>> triangles;
};

struct MeshSettings {
  int detail = 6;                // a circle has 4 detail corners
  double thickness = 1;          // of planar shapes [m]
  double marker = 0.1;           // radius of points and of bodies without shapes [m]
  double ground = 10;            // half the edge of the square that stands for a halfspace [m]
  Vec3 center_W = Vec3::Zero();  // the middle of what moves; squares lie below it [m]
};

// Sizes that suit a model whose moving parts keep within lo and hi.
MeshSettings mesh_settings(const Model& model, const Vec3& lo, const Vec3& hi);

// A mesh and how it is stretched. Shapes with equal keys have equal meshes.
struct ShapeMesh {
  std::string key;
  Vec3 scale = Vec3::Ones();
  Pose X_BS;                                    // in the body frame
  std::optional<Colour> colour = std::nullopt;  // default: that of the body
};

// Of one shape at X_BS on a body at X_WB.
ShapeMesh shape_mesh(const Shape& shape, const Pose& X_BS, const Pose& X_WB,
                     const MeshSettings& settings);

// What a body looks like; a small ball where it has no shapes. `X_WB`: its body frame at the start.
std::vector<ShapeMesh> body_meshes(const Model& model, BodyId body, const Pose& X_WB,
                                   const MeshSettings& settings);

Mesh polyhedron_mesh(const Polyhedron& polyhedron, double thickness);

// The mesh behind a key that body_meshes() gave.
Mesh make_mesh(const Model& model, const std::string& key, const MeshSettings& settings);

// Colour of a body [sRGB, 0 to 1]: few bodies have their own, many are shades of one.
std::vector<Colour> body_colours(const Model& model);

}  // namespace cairn::exports
