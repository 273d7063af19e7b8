// Convex parts of a closed mesh, with their errors measured.
#pragma once

#include <string>
#include <vector>

#include "cairn/error.hpp"
#include "mesh/triangle_mesh.hpp"

namespace cairn::mesh {

struct DecomposeOptions {
  double max_volume_error = 0.02;  // of the volume of the mesh [-]
  double max_distance = 0.01;      // of the diagonal of its box [-]
  int max_parts = 512;
};

struct Decomposition {
  std::vector<std::vector<Vec3>> parts;  // corners of convex hulls, which cover the mesh
  double volume_error = 0;  // sum of the parts' volumes, less that of the mesh, by that of the
                            // mesh; overlaps of parts count twice [-]
  double distance = 0;      // of the parts' farthest point from the mesh, by the diagonal: a bound
                            // that exceeds it by at most a twentieth of max_distance [-]
};

// Cuts the mesh by planes until the hulls of all pieces keep the limits (E932). Needs a closed mesh
// with positive volume and no edge in more than two triangles. Errors: more than `max_parts` parts
// would be needed, with the figures reached.
Result<Decomposition> decompose(const TriangleMesh& mesh, const DecomposeOptions& options);

}  // namespace cairn::mesh
