// Reads the vertices of a convex polygon, writes it as a polyhedron without ends.
#include <algorithm>
#include <cmath>
#include <fmt/format.h>

#include "base/boundary.hpp"
#include "cairn/polyhedron.hpp"
#include "model/checks.hpp"
#include "model/shape/hull_errors.hpp"

namespace cairn {
namespace {

using Vec2 = Eigen::Vector2d;

// Sine of the turn at a vertex below which the side goes straight on [rad].
constexpr double straight = 0x1p-30;

double cross(const Vec2& a, const Vec2& b) {
  return a.x() * b.y() - a.y() * b.x();
}

bool goes_right(const Vec2& edge) {
  return edge.x() > 0 || (edge.x() == 0 && edge.y() > 0);
}

std::string point_text(const Vec2& v) {
  return fmt::format("[{}, {}]", v.x(), v.y());
}

std::string place(std::size_t i) {
  return fmt::format("[{}]", i);
}

std::optional<tl::unexpected<Errors>> fault_of_points(std::span<const Vec2> points) {
  if (points.size() < 3)
    return model::shape_error("", ErrorCode::wrong_size, "a polygon needs at least three vertices",
                              fmt::format("{}", points.size()), "3 or more", "add vertices");
  if (points.size() > most_features)
    return model::shape_error("", ErrorCode::too_many, "polygon has too many vertices",
                              fmt::format("{}", points.size()),
                              fmt::format("at most {}", most_features), "give a coarser shape");
  for (std::size_t i = 0; i < points.size(); ++i)
    if (!points[i].allFinite() || points[i].cwiseAbs().maxCoeff() > model::largest_magnitude)
      return model::shape_error(
          place(i), ErrorCode::out_of_range, "coordinates are not finite or out of range",
          point_text(points[i]) + " m", fmt::format("-{0} to {0} m", model::largest_magnitude),
          "give finite coordinates in metres");
  for (std::size_t i = 0; i < points.size(); ++i) {
    const std::size_t before = (i + points.size() - 1) % points.size();
    if (points[i] == points[before])
      return model::shape_error(place(i), ErrorCode::degenerate,
                                "two vertices in a row are the same", point_text(points[i]) + " m",
                                fmt::format("another point than that of vertex {}", before),
                                "drop one; the polygon closes by itself");
  }
  return std::nullopt;
}

double twice_area(std::span<const Vec2> points) {
  double sum = 0;
  for (std::size_t i = 1; i + 1 < points.size(); ++i)
    sum += cross(points[i] - points[0], points[i + 1] - points[0]);
  return sum;
}

// Turns `sense` (1: left, -1: right) at every vertex and goes round once. `keep`: is there a
// corner?
std::optional<tl::unexpected<Errors>> fault_of_turns(std::span<const Vec2> points, double sense,
                                                     std::vector<char>& keep) {
  const std::size_t n = points.size();
  const auto edge = [&](std::size_t i) { return Vec2(points[(i + 1) % n] - points[i % n]); };
  const auto not_convex = [&](std::size_t i, const char* what) {
    return model::shape_error(place(i), ErrorCode::not_convex, what, point_text(points[i]) + " m",
                              "convex polygons",
                              "move or drop the vertex, or use several polygons");
  };
  int turns = 0;  // from leftwards to rightwards
  for (std::size_t i = 0; i < n; ++i) {
    const Vec2 in = edge(i + n - 1), out = edge(i);
    const double turn = sense * cross(in, out), room = straight * (in.norm() * out.norm());
    if (turn < -room || (turn <= room && in.dot(out) < 0))
      return not_convex(i, "polygon is not convex at this vertex");
    keep[i] = turn > room;
    if (!goes_right(in) && goes_right(out) && ++turns > 1)
      return not_convex(i, "polygon goes round more than once");
  }
  return std::nullopt;
}

// Centre of area, from the first vertex.
Vec3 centre_of_area(std::span<const Vec3> v) {
  double area = 0;
  Vec3 moment = Vec3::Zero();
  for (std::size_t i = 1; i + 1 < v.size(); ++i) {
    const Vec3 a = v[i] - v[0], b = v[i + 1] - v[0];
    const double part = a.x() * b.y() - a.y() * b.x();
    area += part;
    moment += part * (a + b);
  }
  return v[0] + moment / (3 * area);
}

}  // namespace

Result<Polyhedron> polygon_polyhedron(std::span<const Vec2> points) try {
  if (const auto fault = fault_of_points(points)) return *fault;
  Vec2 lo = points[0], hi = points[0];
  for (const Vec2& p : points) lo = lo.cwiseMin(p), hi = hi.cwiseMax(p);
  const double extent = (hi - lo).maxCoeff();
  const double area = 0.5 * twice_area(points);
  std::vector<char> keep(points.size());
  const auto fault = fault_of_turns(points, area < 0 ? -1 : 1, keep);
  if (fault && area != 0) return *fault;
  if (!(std::abs(area) > model::least_thickness * extent * extent) ||
      extent < model::smallest_magnitude)
    return model::shape_error(
        "", ErrorCode::degenerate, "polygon has no area",
        fmt::format("{:.3g} m^2, {:.3g} m long", std::abs(area), extent),
        fmt::format("an area above {:.2g} of the squared length", model::least_thickness),
        "give the corners of an area in their order");
  Polyhedron p;
  p.planar = true;
  for (std::size_t i = 0; i < points.size(); ++i)
    if (keep[i]) p.vertices.emplace_back(points[i].x() + 0.0, points[i].y() + 0.0, 0.0);
  if (area < 0) std::reverse(p.vertices.begin(), p.vertices.end());
  std::rotate(p.vertices.begin(),
              std::min_element(p.vertices.begin(), p.vertices.end(),
                               [](const Vec3& a, const Vec3& b) {
                                 return std::pair(a.x(), a.y()) < std::pair(b.x(), b.y());
                               }),
              p.vertices.end());
  const int n = static_cast<int>(p.vertices.size());
  for (int i = 0; i < n; ++i) {
    const Vec3 side =
        p.vertices[static_cast<std::size_t>((i + 1) % n)] - p.vertices[static_cast<std::size_t>(i)];
    p.faces.push_back({Vec3(side.y(), -side.x(), 0).normalized(), 0, 2 * i, 2});
    p.face_vertices.insert(p.face_vertices.end(), {i, (i + 1) % n});
  }
  p.center = centre_of_area(p.vertices);
  return finish_polyhedron(std::move(p));
} catch (...) {
  return fail(base::caught_error());
}

}  // namespace cairn
