#include "collide/ratio/flush_edges.hpp"

#include <algorithm>

#include "collide/placed.hpp"

namespace cairn::collide {
namespace {

constexpr double same_plane =
    1e-9;  // of the smaller radius, or an angle: what counts as coplanar [-]

Placed in_body(const Model& model, int shape) {
  const Shape& s = model.shapes[static_cast<std::size_t>(shape)];
  return Placed(model.polyhedra[static_cast<std::size_t>(s.polyhedron)], s.X_CS);
}

// Is the point, which lies in the plane of the face, inside its border?
bool inside(const Placed& p, int face, const Vec3& x, double tolerance) {
  const auto loop = p.shape->loop(face);
  const Vec3 n = p.normal(face);
  for (std::size_t i = 0; i < loop.size(); ++i) {
    const Vec3 a = p.vertex(loop[i]), along = p.vertex(loop[(i + 1) % loop.size()]) - a;
    if (n.cross(along).dot(x - a) < -tolerance * along.norm()) return false;
  }
  return true;
}

bool coplanar(const Placed& a, int f, const Placed& b, int g, double tolerance) {
  const Vec3 n = a.normal(f);
  return (n - b.normal(g)).norm() <= same_plane &&
         std::abs(n.dot(b.vertex(b.shape->loop(g)[0]) - a.vertex(a.shape->loop(f)[0]))) <=
             tolerance;
}

// Both ends of the edge lie in the face g of B, and g goes on where f ends.
bool continues(const Placed& a, int f, const Polyhedron::Edge& edge, const Placed& b, int g,
               double tolerance) {
  const Vec3 tail = a.vertex(edge.tail), along = a.vertex(edge.head) - tail;
  if (!inside(b, g, tail, tolerance) || !inside(b, g, a.vertex(edge.head), tolerance)) return false;
  const Vec3 out = (edge.left == f ? 1 : -1) * along.cross(a.normal(f));
  const auto loop = b.shape->loop(g);
  return std::any_of(loop.begin(), loop.end(), [&](int v) {
    return out.dot(b.vertex(v) - tail) > 1e3 * tolerance * along.norm();
  });
}

void mark(const Placed& a, const Placed& b, std::vector<char>& flush) {
  const double tolerance = same_plane * std::min(a.shape->outer_radius, b.shape->outer_radius);
  if ((a.center() - b.center()).norm() > a.shape->outer_radius + b.shape->outer_radius + tolerance)
    return;
  for (int f = 0; f < static_cast<int>(a.shape->faces.size()); ++f)
    for (int g = 0; g < static_cast<int>(b.shape->faces.size()); ++g) {
      if (!coplanar(a, f, b, g, tolerance)) continue;
      for (std::size_t e = 0; e < a.shape->edges.size(); ++e) {
        const Polyhedron::Edge& edge = a.shape->edges[e];
        if (edge.left != f && edge.right != f) continue;
        if (!continues(a, f, edge, b, g, tolerance)) continue;
        flush.resize(a.shape->edges.size());
        flush[e] = 1;
      }
    }
}

}  // namespace

std::vector<std::vector<char>> flush_edges(const Model& model) {
  std::vector<std::vector<char>> flush(model.shapes.size());
  for (const Body& body : model.bodies) {
    const int end = body.first_shape + body.shapes;
    for (int i = body.first_shape; i < end; ++i)
      for (int j = body.first_shape; j < end; ++j) {
        const Shape &a = model.shapes[static_cast<std::size_t>(i)],
                    &b = model.shapes[static_cast<std::size_t>(j)];
        if (i == j || a.polyhedron < 0 || b.polyhedron < 0 || a.material != b.material) continue;
        mark(in_body(model, i), in_body(model, j), flush[static_cast<std::size_t>(i)]);
      }
  }
  return flush;
}

}  // namespace cairn::collide
