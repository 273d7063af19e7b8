// Points of Wavefront OBJ files.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "cairn/error.hpp"
#include "cairn/math.hpp"
#include "cairn/polyhedron.hpp"

namespace cairn::scene {

struct ObjMesh {
  std::vector<Vec3> points;             // lines "v x y z", with a weight or a colour behind
  std::vector<std::vector<int>> faces;  // lines "f", numbers of points from 0
};

// All other lines are passed over. Errors name the file and the line.
Result<ObjMesh> read_obj(const std::string& file);
Result<ObjMesh> parse_obj(std::string_view text, const std::string& file);

// What is lost if `hull`, the convex hull of its points, stands for the mesh; nothing: the mesh is
// convex to 1e-6 of its size and volume, or it has no faces and no point inside the hull.
std::optional<Error> difference_from_hull(const ObjMesh& mesh, const Polyhedron& hull);

}  // namespace cairn::scene
