// Cuts a closed surface by a plane and closes the parts again.
#pragma once

#include <vector>

#include "mesh/triangle_mesh.hpp"

namespace cairn::mesh {

// A closed, oriented surface without edges in more than two triangles, perhaps with cavities.
struct Piece {
  std::vector<Vec3> points;
  std::vector<Triangle> triangles;
};

struct Plane {
  Vec3 normal = Vec3::UnitZ();  // unit length
  double offset = 0;            // normal.x = offset on the plane [m]
};

double volume_of(const Piece& piece);

// The connected parts on both sides. Points up to `snap` above the plane count as below it, so that
// a plane through a face whose matter lies below leaves no flakes above.
std::vector<Piece> cut(const Piece& piece, const Plane& plane, double snap);

// The connected parts of a piece; cavities stay with what they are in.
std::vector<Piece> connected_parts(const Piece& piece);

}  // namespace cairn::mesh
