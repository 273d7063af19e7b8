// Faces, edges and radii of convex polyhedra.
#include "cairn/polyhedron.hpp"

#include <algorithm>
#include <limits>

#include "cairn/error.hpp"

namespace cairn {
namespace {

// Each edge is met once in each direction: its left face runs from the lower vertex to the higher.
void find_edges(Polyhedron& p) {
  p.edges.clear();
  const int faces = static_cast<int>(p.faces.size());
  for (int f = 0; f < faces; ++f) {
    const std::span<const int> loop = p.loop(f);
    for (std::size_t i = 0; i < loop.size(); ++i) {
      const int a = loop[i], b = loop[(i + 1) % loop.size()];
      if (a < b) p.edges.push_back({a, b, f, -1});
    }
  }
  std::sort(p.edges.begin(), p.edges.end(), [](const auto& x, const auto& y) {
    return std::pair(x.tail, x.head) < std::pair(y.tail, y.head);
  });
  for (int f = 0; f < faces; ++f) {
    const std::span<const int> loop = p.loop(f);
    for (std::size_t i = 0; i < loop.size(); ++i) {
      const int a = loop[i], b = loop[(i + 1) % loop.size()];
      if (a < b) continue;
      const auto edge = std::lower_bound(
          p.edges.begin(), p.edges.end(), std::pair(b, a),
          [](const auto& e, const auto& key) { return std::pair(e.tail, e.head) < key; });
      CAIRN_CHECK(edge != p.edges.end() && edge->tail == b && edge->head == a);
      edge->right = f;
    }
  }
}

// Faces of a polyhedron are neighbours over an edge, sides of a polygon at a vertex.
void find_neighbors(Polyhedron& p) {
  p.across.assign(p.face_vertices.size(), -1);
  for (std::size_t f = 0; f < p.faces.size(); ++f) {
    const std::span<const int> loop = p.loop(static_cast<int>(f));
    for (std::size_t i = 0; i < loop.size(); ++i) {
      const int a = loop[i], b = loop[(i + 1) % loop.size()];
      int& other = p.across[static_cast<std::size_t>(p.faces[f].first) + i];
      if (p.planar) {
        for (std::size_t g = 0; g < p.faces.size(); ++g)
          if (const auto l = p.loop(static_cast<int>(g));
              g != f && std::find(l.begin(), l.end(), a) != l.end())
            other = static_cast<int>(g);
      } else {
        const auto edge = std::lower_bound(
            p.edges.begin(), p.edges.end(), std::pair(std::min(a, b), std::max(a, b)),
            [](const auto& e, const auto& key) { return std::pair(e.tail, e.head) < key; });
        other = a < b ? edge->right : edge->left;
      }
      CAIRN_CHECK(other >= 0);
    }
  }
}

}  // namespace

Polyhedron finish_polyhedron(Polyhedron p) {
  if (!p.planar) find_edges(p);
  find_neighbors(p);
  p.polar.clear();
  p.inner_radius = std::numeric_limits<double>::infinity();
  for (std::size_t f = 0; f < p.faces.size(); ++f) {
    // The outermost vertex of the loop, so that rounding leaves none outside its own face.
    Polyhedron::Face& face = p.faces[f];
    face.offset = -std::numeric_limits<double>::infinity();
    for (const int i : p.loop(static_cast<int>(f)))
      face.offset = std::max(face.offset, face.normal.dot(p.vertices[static_cast<std::size_t>(i)]));
    const double distance = face.offset - face.normal.dot(p.center);
    p.polar.push_back(face.normal / distance);
    p.inner_radius = std::min(p.inner_radius, distance);
  }
  p.outer_radius = 0;
  for (const Vec3& v : p.vertices) p.outer_radius = std::max(p.outer_radius, (v - p.center).norm());
  return p;
}

Polyhedron box_polyhedron(const Vec3& size) {
  Polyhedron p;
  p.box_half = 0.5 * size;
  for (int corner = 0; corner < 8; ++corner) {
    Vec3 v = 0.5 * size;
    for (int k = 0; k < 3; ++k)
      if (!(corner >> k & 1)) v[k] = -v[k];
    p.vertices.push_back(v);
  }
  // Around the upper face of axis k the other two axes, in cyclic order, turn counterclockwise.
  for (int k = 0; k < 3; ++k) {
    const int a = 1 << (k + 1) % 3, b = 1 << (k + 2) % 3;
    for (const int side : {0, 1}) {
      const int base = side << k, first = static_cast<int>(p.face_vertices.size());
      p.faces.push_back({(side ? 1.0 : -1.0) * Vec3::Unit(k), 0, first, 4});
      if (side)
        p.face_vertices.insert(p.face_vertices.end(), {base, base + a, base + a + b, base + b});
      else
        p.face_vertices.insert(p.face_vertices.end(), {base, base + b, base + a + b, base + a});
    }
  }
  return finish_polyhedron(std::move(p));
}

}  // namespace cairn
