#include "model/shape/sample_polyhedra.hpp"

#include <array>
#include <cmath>
#include <map>
#include <numbers>

namespace cairn::model {
namespace {

void add_face(Polyhedron& p, std::initializer_list<int> loop) {
  p.faces.push_back(
      {Vec3::UnitZ(), 0, static_cast<int>(p.face_vertices.size()), static_cast<int>(loop.size())});
  p.face_vertices.insert(p.face_vertices.end(), loop);
}

Vec3 on_circle(int i, int sides) {
  const double phi = 2 * std::numbers::pi * i / sides;
  return {std::cos(phi), std::sin(phi), 0};
}

// Normals of the loops, then all that follows from them.
Polyhedron finish(Polyhedron p) {
  for (std::size_t f = 0; f < p.faces.size(); ++f) {
    const std::span<const int> loop = p.loop(static_cast<int>(f));
    const auto vertex = [&](std::size_t i) {
      return p.vertices[static_cast<std::size_t>(loop[i % loop.size()])];
    };
    Vec3 normal = Vec3::Zero();
    if (p.planar)
      normal = (vertex(1) - vertex(0)).cross(Vec3::UnitZ());
    else
      for (std::size_t i = 1; i + 1 < loop.size(); ++i)
        normal += (vertex(i) - vertex(0)).cross(vertex(i + 1) - vertex(0));
    p.faces[f].normal = normal.normalized();
  }
  return finish_polyhedron(std::move(p));
}

}  // namespace

Polyhedron tetrahedron() {
  Polyhedron p;
  p.vertices = {{1, 1, 1}, {1, -1, -1}, {-1, 1, -1}, {-1, -1, 1}};
  add_face(p, {0, 1, 2});
  add_face(p, {0, 3, 1});
  add_face(p, {0, 2, 3});
  add_face(p, {1, 3, 2});
  return finish(std::move(p));
}

Polyhedron prism(int sides) {
  Polyhedron p;
  for (const int side : {-1, 1})
    for (int i = 0; i < sides; ++i)
      p.vertices.push_back(on_circle(i, sides) + side * Vec3::UnitZ());
  add_face(p, {});
  for (int i = sides; i-- > 0;) p.face_vertices.push_back(i);
  p.faces.back().count = sides;
  add_face(p, {});
  for (int i = 0; i < sides; ++i) p.face_vertices.push_back(sides + i);
  p.faces.back().count = sides;
  for (int i = 0; i < sides; ++i) {
    const int next = (i + 1) % sides;
    add_face(p, {i, next, sides + next, sides + i});
  }
  return finish(std::move(p));
}

Polyhedron bipyramid(int sides) {
  Polyhedron p;
  for (int i = 0; i < sides; ++i) p.vertices.push_back(on_circle(i, sides));
  p.vertices.push_back(-Vec3::UnitZ());
  p.vertices.push_back(Vec3::UnitZ());
  for (int i = 0; i < sides; ++i) {
    const int next = (i + 1) % sides;
    add_face(p, {next, i, sides});
    add_face(p, {i, next, sides + 1});
  }
  return finish(std::move(p));
}

Polyhedron geodesic(int n) {
  const double g = std::numbers::phi;
  const std::array<Vec3, 12> corners{Vec3{-1, g, 0}, {1, g, 0}, {-1, -g, 0}, {1, -g, 0},
                                     {0, -1, g},     {0, 1, g}, {0, -1, -g}, {0, 1, -g},
                                     {g, 0, -1},     {g, 0, 1}, {-g, 0, -1}, {-g, 0, 1}};
  constexpr int triangles[20][3] = {{0, 11, 5}, {0, 5, 1},  {0, 1, 7},   {0, 7, 10}, {0, 10, 11},
                                    {1, 5, 9},  {5, 11, 4}, {11, 10, 2}, {10, 7, 6}, {7, 1, 8},
                                    {3, 9, 4},  {3, 4, 2},  {3, 2, 6},   {3, 6, 8},  {3, 8, 9},
                                    {4, 9, 5},  {2, 4, 11}, {6, 2, 10},  {8, 6, 7},  {9, 8, 1}};
  Polyhedron p;
  // Points on edges belong to several triangles; their weights of the corners tell them.
  std::map<std::array<int, 12>, int> known;
  for (const auto& triangle : triangles) {
    const auto point = [&](int i, int k) {
      std::array<int, 12> weights{};
      weights[static_cast<std::size_t>(triangle[0])] = n - i - k;
      weights[static_cast<std::size_t>(triangle[1])] = i;
      weights[static_cast<std::size_t>(triangle[2])] = k;
      const auto [entry, fresh] = known.emplace(weights, static_cast<int>(p.vertices.size()));
      if (fresh) {
        Vec3 sum = Vec3::Zero();
        for (std::size_t c = 0; c < 12; ++c) sum += weights[c] * corners[c];
        p.vertices.push_back(sum.normalized());
      }
      return entry->second;
    };
    for (int i = 0; i < n; ++i)
      for (int k = 0; i + k < n; ++k) {
        add_face(p, {point(i, k), point(i + 1, k), point(i, k + 1)});
        if (i + k + 1 < n) add_face(p, {point(i + 1, k), point(i + 1, k + 1), point(i, k + 1)});
      }
  }
  return finish(std::move(p));
}

Polyhedron polygon(int sides) {
  Polyhedron p;
  p.planar = true;
  for (int i = 0; i < sides; ++i) {
    p.vertices.push_back(on_circle(i, sides));
    add_face(p, {i, (i + 1) % sides});
  }
  return finish(std::move(p));
}

Polyhedron image(const Polyhedron& p, const Mat3& M, const Vec3& t) {
  Polyhedron result = p;
  for (Vec3& v : result.vertices) v = M * v + t;
  result.center = M * p.center + t;
  return finish(std::move(result));
}

}  // namespace cairn::model
