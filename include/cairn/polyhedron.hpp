// Convex polyhedra with their faces and edges, and convex polygons of planar bodies as prisms
// without ends.
#pragma once

#include <span>
#include <vector>

#include "cairn/error.hpp"
#include "cairn/math.hpp"

namespace cairn {

// In the frame S of its shape. A polygon has planar == true: its vertices lie at z = 0, a face is
// the side over two of them, and there are no edges, since a prism without ends has none that
// another one could cross.
struct Polyhedron {
  struct Face {
    Vec3 normal = Vec3::UnitZ();  // outward, unit length [-]
    double offset = 0;            // normal.x <= offset inside [m]
    int first = 0, count = 0;     // of its loop in face_vertices
  };
  struct Edge {
    int tail = 0, head = 0;   // vertices, tail < head
    int left = 0, right = 0;  // faces; the loop of `left` runs from tail to head
  };

  bool planar = false;
  Vec3 box_half = Vec3::Zero();    // half the edges of a box about its centre; else zero [m]
  Vec3 center = Vec3::Zero();      // of volume (planar: of area), always inside [m]
  std::vector<Vec3> vertices;      // [m]
  std::vector<Face> faces;         // coplanar ones are one face
  std::vector<int> face_vertices;  // loops, counterclockwise seen from outside
  std::vector<Edge> edges;         // sorted by (tail, head)
  // For each entry of face_vertices the face on the other side of the edge that begins there;
  // of a polygon, the other side at that vertex.
  std::vector<int> across;
  // Corners of the polar body about the centre: normal / (distance of the centre from the face),
  // one a face [1/m]. A point x lies inside if polar.(x - center) <= 1 for all of them.
  std::vector<Vec3> polar;
  double inner_radius = 0;  // of the largest ball about the centre inside: its least face distance
                            // [m]
  double outer_radius = 0;  // of the smallest ball about the centre around it [m]

  std::span<const int> loop(int face) const {
    const Face& f = faces[static_cast<std::size_t>(face)];
    return {face_vertices.data() + f.first, static_cast<std::size_t>(f.count)};
  }
  std::span<const int> neighbors(int face) const {
    const Face& f = faces[static_cast<std::size_t>(face)];
    return {across.data() + f.first, static_cast<std::size_t>(f.count)};
  }
};

// Edges, neighbours, polar, radii and offsets from vertices, centre and loops whose normals are
// given. The loops must close a convex surface.
Polyhedron finish_polyhedron(Polyhedron p);

// Vertex i of a box lies on the upper side of axis k where bit k of i is set; face 2 k is the lower
// one of axis k, face 2 k + 1 the upper one.
Polyhedron box_polyhedron(const Vec3& size);

// Most vertices, edges and faces that a polyhedron may have, so that a pair of them fits an int.
inline constexpr int most_features = 32767;

// The convex hull of the points. Vertices are the extreme points in lexicographic order, loops
// start at their least vertex, faces are in the order of their loops: the order of the points
// changes no bit, scaling them by a power of two scales the result exactly. Adjacent facets whose
// normals differ by at most 2^-30 rad (1e-9) are one face. Errors: fewer than four points,
// coordinates that are not finite or beyond 1e30 m, points thinner than 2^-26 (1.5e-8) of their
// extent, more than most_features vertices, edges or faces. Paths are those behind the list, such
// as "[3]", or empty.
Result<Polyhedron> hull_polyhedron(std::span<const Vec3> points);

// A convex polygon given in either sense of rotation; its vertices become counterclockwise and
// start at the lexicographically least one. Vertices on a straight side are dropped. Errors as
// above, and the vertex at which the polygon is not convex.
Result<Polyhedron> polygon_polyhedron(std::span<const Eigen::Vector2d> points);

// The vertices of { x : A_i . x <= b_i for all i }, as hull_polyhedron orders them. Errors: no
// point in it, no interior, not bounded. Paths start with "A" or "b".
Result<std::vector<Vec3>> intersection_vertices(std::span<const Vec3> A, std::span<const double> b);

}  // namespace cairn
