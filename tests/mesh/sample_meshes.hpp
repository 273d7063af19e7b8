// Meshes with known volumes, and damaged ones.
#pragma once

#include <cmath>
#include <cstring>
#include <fmt/format.h>
#include <numbers>
#include <random>
#include <string>

#include "mesh/triangle_mesh.hpp"

namespace cairn::mesh_samples {

using mesh::Triangle;
using mesh::TriangleMesh;

inline TriangleMesh box(const Vec3& lo, const Vec3& hi) {
  TriangleMesh m;
  for (int i = 0; i < 8; ++i)
    m.points.emplace_back(i & 1 ? hi.x() : lo.x(), i & 2 ? hi.y() : lo.y(),
                          i & 4 ? hi.z() : lo.z());
  for (const auto& q : {std::array{0, 2, 3, 1},
                        {4, 5, 7, 6},
                        {0, 1, 5, 4},
                        {2, 6, 7, 3},
                        {0, 4, 6, 2},
                        {1, 3, 7, 5}}) {
    m.triangles.push_back({q[0], q[1], q[2]});
    m.triangles.push_back({q[0], q[2], q[3]});
  }
  return m;
}

inline void append(TriangleMesh& to, const TriangleMesh& more) {
  const auto first = static_cast<std::int32_t>(to.points.size());
  to.points.insert(to.points.end(), more.points.begin(), more.points.end());
  for (Triangle t : more.triangles) {
    for (auto& k : t) k += first;
    to.triangles.push_back(t);
  }
}

inline void turn_over(TriangleMesh& m) {
  for (Triangle& t : m.triangles) std::swap(t[1], t[2]);
}

// A ring of n segments whose section is a regular polygon of m corners.
inline TriangleMesh torus(double R, double r, int n, int m) {
  TriangleMesh out;
  for (int i = 0; i < n; ++i)
    for (int j = 0; j < m; ++j) {
      const double a = 2 * std::numbers::pi * i / n, b = 2 * std::numbers::pi * j / m;
      out.points.emplace_back((R + r * std::cos(b)) * std::cos(a),
                              (R + r * std::cos(b)) * std::sin(a), r * std::sin(b));
    }
  const auto at = [&](int i, int j) { return (i % n) * m + j % m; };
  for (int i = 0; i < n; ++i)
    for (int j = 0; j < m; ++j) {
      out.triangles.push_back({at(i, j), at(i + 1, j), at(i + 1, j + 1)});
      out.triangles.push_back({at(i, j), at(i + 1, j + 1), at(i, j + 1)});
    }
  return out;
}

// Its volume: around the axis, each side of the section sweeps n trapezoids (Green's theorem for
// r^2 dz, with the area n/2 sin(2 pi / n) of the polygon in place of pi).
inline double torus_volume(double R, double r, int n, int m) {
  double sum = 0;
  for (int j = 0; j < m; ++j) {
    const double b = 2 * std::numbers::pi * j / m, c = 2 * std::numbers::pi * (j + 1) / m;
    const double r1 = R + r * std::cos(b), r2 = R + r * std::cos(c);
    sum += (r * std::sin(c) - r * std::sin(b)) * (r1 * r1 + r1 * r2 + r2 * r2) / 3;
  }
  return 0.5 * n * std::sin(2 * std::numbers::pi / n) * sum;
}

inline Vec3 random_vector(std::mt19937_64& random, double size) {
  std::uniform_real_distribution<double> uniform(-size, size);
  return {uniform(random), uniform(random), uniform(random)};
}

inline Quat random_rotation(std::mt19937_64& random) {
  std::normal_distribution<double> normal;
  return Quat(normal(random), normal(random), normal(random), normal(random)).normalized();
}

inline TriangleMesh moved(TriangleMesh m, const Quat& R, const Vec3& shift) {
  for (Vec3& p : m.points) p = R * p + shift;
  return m;
}

// ---- Files

inline std::string obj_text(const TriangleMesh& m) {
  std::string text = "# sample\n";
  for (const Vec3& p : m.points) text += fmt::format("v {} {} {}\n", p.x(), p.y(), p.z());
  for (const Triangle& t : m.triangles)
    text += fmt::format("f {} {} {}\n", t[0] + 1, t[1] + 1, t[2] + 1);
  return text;
}

inline std::string stl_text(const TriangleMesh& m) {
  std::string text = "solid sample\n";
  for (const Triangle& t : m.triangles) {
    text += "facet normal 0 0 0\n outer loop\n";
    for (const Vec3& p : m.corners(t))
      text += fmt::format("  vertex {} {} {}\n", p.x(), p.y(), p.z());
    text += " endloop\nendfacet\n";
  }
  return text + "endsolid sample\n";
}

template <class Number>
void put(std::string& out, Number x, bool big = false) {
  char b[sizeof x];
  std::memcpy(b, &x, sizeof x);
  if (big) std::reverse(b, b + sizeof x);
  out.append(b, sizeof x);
}

inline std::string stl_binary(const TriangleMesh& m) {
  std::string out(80, ' ');
  put(out, static_cast<std::uint32_t>(m.triangles.size()));
  for (const Triangle& t : m.triangles) {
    for (int k = 0; k < 3; ++k) put(out, 0.0f);
    for (const Vec3& p : m.corners(t))
      for (const double x : p) put(out, static_cast<float>(x));
    put(out, std::uint16_t{0});
  }
  return out;
}

inline std::string ply_text(const TriangleMesh& m) {
  std::string text = fmt::format(
      "ply\nformat ascii 1.0\ncomment sample\nelement vertex {}\nproperty double x\nproperty "
      "double "
      "y\nproperty double z\nproperty uchar red\nelement face {}\nproperty list uchar int "
      "vertex_indices\nend_header\n",
      m.points.size(), m.triangles.size());
  for (const Vec3& p : m.points) text += fmt::format("{} {} {} 7\n", p.x(), p.y(), p.z());
  for (const Triangle& t : m.triangles) text += fmt::format("3 {} {} {}\n", t[0], t[1], t[2]);
  return text;
}

inline std::string ply_binary(const TriangleMesh& m, bool big) {
  std::string out = fmt::format(
      "ply\nformat binary_{}_endian 1.0\nelement vertex {}\nproperty double x\nproperty double "
      "y\nproperty double z\nelement face {}\nproperty list uchar int vertex_index\nproperty short "
      "flags\nend_header\n",
      big ? "big" : "little", m.points.size(), m.triangles.size());
  for (const Vec3& p : m.points)
    for (const double x : p) put(out, x, big);
  for (const Triangle& t : m.triangles) {
    put(out, std::uint8_t{3}, big);
    for (const auto k : t) put(out, k, big);
    put(out, std::int16_t{-1}, big);
  }
  return out;
}

}  // namespace cairn::mesh_samples
