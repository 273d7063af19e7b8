// Spheres, capsules and plates from rings of points; flat-faced shapes from their polyhedra.
#include "exports/mesh.hpp"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <numbers>

#include "cairn/error.hpp"

namespace cairn::exports {
namespace {

using Index = std::uint32_t;

Index next_point(const Mesh& mesh) {
  return static_cast<Index>(mesh.points.size());
}

void put(Mesh& mesh, const Vec3& p, const Vec3& n) {
  mesh.points.push_back(p);
  mesh.normals.push_back(n);
}

// Loops of a convex face, counterclockwise seen from outside.
void put_face(Mesh& mesh, const std::vector<Vec3>& loop, const Vec3& normal) {
  const Index first = next_point(mesh);
  for (const Vec3& p : loop) put(mesh, p, normal);
  for (Index i = 1; i + 1 < loop.size(); ++i)
    mesh.triangles.push_back({first, first + i, first + i + 1});
}

// A ball of unit radius with its poles on z; its halves may be drawn apart to a capsule of the
// segment `length` in units of the radius.
Mesh ball(int detail, double length) {
  Mesh mesh;
  const int around = 4 * detail, bands = 2 * detail;
  put(mesh, Vec3(0, 0, 1 + length / 2), Vec3::UnitZ());
  for (int i = 1; i < bands; ++i) {
    const double polar = std::numbers::pi * i / bands;
    const auto ring = [&](double shift) {
      for (int k = 0; k < around; ++k) {
        const double turn = 2 * std::numbers::pi * k / around;
        const Vec3 n(std::sin(polar) * std::cos(turn), std::sin(polar) * std::sin(turn),
                     std::cos(polar));
        put(mesh, n + shift * Vec3::UnitZ(), n);
      }
    };
    ring(i <= detail ? length / 2 : -length / 2);
    if (i == detail && length > 0) ring(-length / 2);  // the equator, once for each cap
  }
  put(mesh, Vec3(0, 0, -1 - length / 2), -Vec3::UnitZ());
  const Index n = static_cast<Index>(around), last = next_point(mesh) - 1;
  const Index rings = (last - 1) / n;
  for (Index k = 0; k < n; ++k) {
    const Index right = (k + 1) % n;
    mesh.triangles.push_back({0, 1 + k, 1 + right});
    for (Index r = 0; r + 1 < rings; ++r) {
      const Index a = 1 + r * n + k, b = 1 + r * n + right;
      mesh.triangles.push_back({a, a + n, b + n});
      mesh.triangles.push_back({a, b + n, b});
    }
    mesh.triangles.push_back({last, last - n + right, last - n + k});
  }
  return mesh;
}

// A plate over a counterclockwise outline, from z = -depth / 2 to depth / 2.
Mesh plate(const std::vector<Eigen::Vector2d>& outline, double depth) {
  Mesh mesh;
  std::vector<Vec3> top, bottom;
  for (const Eigen::Vector2d& p : outline) {
    top.emplace_back(p.x(), p.y(), depth / 2);
    bottom.emplace_back(p.x(), p.y(), -depth / 2);
  }
  for (std::size_t i = 0; i < outline.size(); ++i) {
    const std::size_t k = (i + 1) % outline.size();
    const Eigen::Vector2d side = outline[k] - outline[i];
    put_face(mesh, {bottom[i], bottom[k], top[k], top[i]},
             Vec3(side.y(), -side.x(), 0).normalized());
  }
  put_face(mesh, top, Vec3::UnitZ());
  std::reverse(bottom.begin(), bottom.end());
  put_face(mesh, bottom, -Vec3::UnitZ());
  return mesh;
}

std::vector<Eigen::Vector2d> circle(int corners) {
  std::vector<Eigen::Vector2d> points;
  for (int k = 0; k < corners; ++k) {
    const double turn = 2 * std::numbers::pi * k / corners;
    points.emplace_back(std::cos(turn), std::sin(turn));
  }
  return points;
}

// A frustum about z with smooth normals on its side; radius 1 or `top` at its ends.
Mesh frustum_mesh(int detail, double bottom, double top, double length) {
  Mesh mesh;
  const auto outline = circle(8 * detail);
  const double half = length / 2;
  const double slope = (bottom - top) / length;
  const auto n = static_cast<Index>(outline.size());
  for (const Eigen::Vector2d& p : outline) {
    const Vec3 normal = Vec3(p.x(), p.y(), slope).normalized();
    put(mesh, Vec3(bottom * p.x(), bottom * p.y(), -half), normal);
    put(mesh, Vec3(top * p.x(), top * p.y(), half), normal);
  }
  for (Index i = 0; i < n; ++i) {
    const Index a = 2 * i, b = 2 * ((i + 1) % n);
    if (bottom > 0) mesh.triangles.push_back({a, b, b + 1});
    if (top > 0) mesh.triangles.push_back({a, b + 1, a + 1});
  }
  const auto cap = [&](double radius, double side) {
    if (!(radius > 0)) return;
    std::vector<Vec3> loop;
    for (const Eigen::Vector2d& p : outline)
      loop.emplace_back(radius * p.x(), radius * p.y(), side * half);
    if (side < 0) std::reverse(loop.begin(), loop.end());
    put_face(mesh, loop, side * Vec3::UnitZ());
  };
  cap(bottom, -1);
  cap(top, 1);
  return mesh;
}

// A square around the origin that faces z.
Mesh square() {
  Mesh mesh;
  put_face(mesh, {Vec3(-1, -1, 0), Vec3(1, -1, 0), Vec3(1, 1, 0), Vec3(-1, 1, 0)}, Vec3::UnitZ());
  return mesh;
}

std::array<double, 3> from_hsl(double hue, double saturation, double lightness) {
  std::array<double, 3> rgb{};
  const double a = saturation * std::min(lightness, 1 - lightness);
  for (std::size_t i = 0; i < 3; ++i) {
    const double k = std::fmod((i == 0 ? 0 : i == 1 ? 8 : 4) + hue / 30, 12);
    rgb[i] = lightness - a * std::max(-1.0, std::min({k - 3, 9 - k, 1.0}));
  }
  return rgb;
}

double median_radius(const Model& model) {
  std::vector<double> radii;
  for (const Body& body : model.bodies)
    if (body.kind == BodyKind::dynamic && body.radius > 0) radii.push_back(body.radius);
  if (radii.empty()) return model.length_unit;
  std::nth_element(radii.begin(), radii.begin() + static_cast<std::ptrdiff_t>(radii.size() / 2),
                   radii.end());
  return radii[radii.size() / 2];
}

}  // namespace

Mesh polyhedron_mesh(const Polyhedron& p, double thickness) {
  if (p.planar) {
    std::vector<Eigen::Vector2d> outline;
    for (const Vec3& v : p.vertices) outline.emplace_back(v.head<2>());
    return plate(outline, thickness);
  }
  Mesh mesh;
  for (std::size_t f = 0; f < p.faces.size(); ++f) {
    std::vector<Vec3> loop;
    for (const int v : p.loop(static_cast<int>(f)))
      loop.push_back(p.vertices[static_cast<std::size_t>(v)]);
    put_face(mesh, loop, p.faces[f].normal);
  }
  return mesh;
}

// Which mesh a shape has, and how it is stretched.
ShapeMesh shape_mesh(const Shape& shape, const Pose& X_BS, const Pose& X_WB,
                     const MeshSettings& settings) {
  struct {
    const Shape& shape;
    const MeshSettings& settings;
    const Pose& X_BS;
    const Pose& X_WB;
    ShapeMesh operator()(const Point&) const { return of("ball", Vec3::Constant(settings.marker)); }
    ShapeMesh operator()(const Sphere& s) const { return of("ball", Vec3::Constant(s.radius)); }
    ShapeMesh operator()(const Ellipsoid& s) const { return of("ball", s.radii); }
    ShapeMesh operator()(const Box& s) const { return of("box", s.size); }
    ShapeMesh operator()(const Capsule& s) const {
      return of(fmt::format("capsule {}", s.length / s.radius), Vec3::Constant(s.radius));
    }
    ShapeMesh operator()(const Frustum& s) const {
      const double r = s.largest_radius();
      return of(fmt::format("frustum {} {} {}", s.radius / r, s.top_radius / r, s.length / r),
                Vec3::Constant(r));
    }
    ShapeMesh operator()(const Disc& s) const {
      return of("disc", Vec3(s.radius, s.radius, settings.thickness));
    }
    ShapeMesh operator()(const Ellipse& s) const {
      return of("disc", Vec3(s.radii.x(), s.radii.y(), settings.thickness));
    }
    ShapeMesh operator()(const Hull&) const { return flat(); }
    ShapeMesh operator()(const Polygon&) const { return flat(); }
    ShapeMesh operator()(const Halfspace& s) const {
      ShapeMesh mesh = of("square", Vec3(settings.ground, settings.ground, 1));
      const Vec3 center_S = (X_WB * X_BS).inverse() * settings.center_W;
      const Vec3 foot_S = center_S - s.normal * s.normal.dot(center_S);
      mesh.X_BS = X_BS * Pose{foot_S, Quat::FromTwoVectors(Vec3::UnitZ(), s.normal)};
      return mesh;
    }
    ShapeMesh flat() const { return of(fmt::format("flat {}", shape.polyhedron), Vec3::Ones()); }
    ShapeMesh of(std::string key, const Vec3& scale) const {
      return {std::move(key), scale, X_BS, {}};
    }
  } visitor{shape, settings, X_BS, X_WB};
  return std::visit(visitor, shape.geometry);
}

MeshSettings mesh_settings(const Model& model, const Vec3& lo, const Vec3& hi) {
  const double size = std::max((hi - lo).norm(), model.length_unit), typical = median_radius(model);
  MeshSettings s;
  s.detail = model.shapes.size() > 5000 ? 2 : model.shapes.size() > 500 ? 3 : 6;
  s.thickness = 0.5 * typical;
  s.marker = std::min(0.3 * typical, 0.02 * size);
  s.ground = 0.75 * size;
  s.center_W = 0.5 * (lo + hi);
  return s;
}

std::vector<ShapeMesh> body_meshes(const Model& model, BodyId id, const Pose& X_WB,
                                   const MeshSettings& settings) {
  const Body& body = model.body(id);
  std::vector<ShapeMesh> meshes;
  for (int i = 0; i < body.shapes; ++i) {
    const Shape& shape = model.shapes[static_cast<std::size_t>(body.first_shape + i)];
    const Pose X_BS{body.p_Bcm + shape.X_CS.p, shape.X_CS.R};
    meshes.push_back(shape_mesh(shape, X_BS, X_WB, settings));
  }
  if (meshes.empty() && body.kind != BodyKind::fixed)
    meshes.push_back({"ball", Vec3::Constant(settings.marker), {body.p_Bcm, Quat::Identity()}, {}});
  return meshes;
}

Mesh make_mesh(const Model& model, const std::string& key, const MeshSettings& settings) {
  if (key == "ball") return ball(settings.detail, 0);
  if (key == "box") return polyhedron_mesh(box_polyhedron(Vec3::Ones()), 0);
  if (key == "disc") return plate(circle(8 * settings.detail), 1);
  if (key == "square") return square();
  if (key.starts_with("capsule ")) return ball(settings.detail, std::stod(key.substr(8)));
  if (key.starts_with("frustum ")) {
    std::size_t used = 0, first = 8;
    const double bottom = std::stod(key.substr(first), &used);
    first += used;
    const double top = std::stod(key.substr(first), &used);
    first += used;
    return frustum_mesh(settings.detail, bottom, top, std::stod(key.substr(first)));
  }
  CAIRN_CHECK(key.starts_with("flat "));
  return polyhedron_mesh(model.polyhedra[std::stoul(key.substr(5))], settings.thickness);
}

// As in the player (viewer/src/colors.js).
std::vector<Colour> body_colours(const Model& model) {
  constexpr std::array<double, 8> hues = {212, 24, 152, 338, 265, 45, 186, 95};
  std::vector<Colour> colours(model.bodies.size(), from_hsl(220, 0.08, 0.64));
  const auto free = std::count_if(model.bodies.begin(), model.bodies.end(),
                                  [](const Body& b) { return b.kind == BodyKind::dynamic; });
  const double typical = median_radius(model);
  std::uint32_t rank = 0;
  for (std::size_t i = 0; i < model.bodies.size(); ++i) {
    if (model.bodies[i].kind != BodyKind::dynamic) continue;
    if (free <= 8)
      colours[i] = from_hsl(hues[rank % hues.size()], 0.58, 0.60);
    else if (model.bodies[i].radius > 2 * typical)
      colours[i] = from_hsl(24, 0.75, 0.56);
    else
      colours[i] = from_hsl(212, 0.48, 0.50 + 0.03 * (rank * 0x9e3779b1u >> 29));
    ++rank;
  }
  return colours;
}

}  // namespace cairn::exports
