// Closed forms of mass and inertia for every shape, and the parallel-axis theorem.
#include "model/shape/mass_properties.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>

namespace cairn::model {
namespace {

using std::numbers::pi;

MassProperties centered(double mass, const Vec3& principal) {
  return {mass, Vec3::Zero(), principal.asDiagonal()};
}

// Second moments of a flat plate add up: zz = xx + yy.
MassProperties plate(double density, double a, double b) {
  const double mass = density * (pi * a * b);
  return centered(mass, 0.25 * mass * Vec3(b * b, a * a, a * a + b * b));
}

MassProperties solid(const Point&, double) {
  return {};
}
MassProperties solid(const Halfspace&, double) {
  return {};
}

MassProperties solid(const Sphere& s, double density) {
  const double r2 = s.radius * s.radius;
  const double mass = density * (4.0 / 3.0 * pi * r2 * s.radius);
  return centered(mass, Vec3::Constant(0.4 * mass * r2));
}

MassProperties solid(const Box& s, double density) {
  const Vec3 e2 = s.size.cwiseAbs2();
  const double mass = density * s.size.prod();
  return centered(mass, mass / 12.0 * Vec3(e2.y() + e2.z(), e2.z() + e2.x(), e2.x() + e2.y()));
}

MassProperties solid(const Ellipsoid& s, double density) {
  const Vec3 r2 = s.radii.cwiseAbs2();
  const double mass = density * (4.0 / 3.0 * pi * s.radii.prod());
  return centered(mass, 0.2 * mass * Vec3(r2.y() + r2.z(), r2.z() + r2.x(), r2.x() + r2.y()));
}

// A cylinder and two hemispheres. A hemisphere has its centre of mass 3/8 r from the flat face;
// about the middle of the capsule both together have m (2/5 r^2 + L^2/4 + 3/8 r L) across the axis,
// as their own 83/320 m r^2 and the shift add up.
MassProperties solid(const Capsule& s, double density) {
  const double r2 = s.radius * s.radius, l2 = s.length * s.length;
  const double cylinder = density * (pi * r2 * s.length);
  const double caps = density * (4.0 / 3.0 * pi * r2 * s.radius);
  const double along = 0.5 * cylinder * r2 + 0.4 * caps * r2;
  const double across = cylinder * (l2 / 12.0 + 0.25 * r2) +
                        caps * (0.4 * r2 + 0.25 * l2 + 0.375 * s.radius * s.length);
  return centered(cylinder + caps, Vec3(across, across, along));
}

// Integrals over the discs at heights z = L (t - 1/2), whose radius is a + t (b - a), t from 0
// to 1. With q_ij = a^i b^j: volume pi L/3 (q20 + q11 + q02), first moment about z = 0 pi L^2/12
// (b^2 - a^2), second moment along z pi L^3/60 (2 q20 + q11 + 2 q02), and across pi L/20 (q40 + q31
// + q22 + q13 + q04) (E900).
MassProperties solid(const Frustum& s, double density) {
  const double a = s.radius, b = s.top_radius, L = s.length, a2 = a * a, b2 = b * b, ab = a * b;
  const double mass = density * (pi * L / 3 * (a2 + ab + b2));
  const double center = L / 4 * ((b - a) * ((b + a) / (a2 + ab + b2)));
  const double along =
      density * (pi * L * L * L / 60 * (2 * a2 + ab + 2 * b2)) - mass * center * center;
  const double across = density * (pi * L / 20 * (a2 * a2 + ab * (a2 + b2) + a2 * b2 + b2 * b2));
  MassProperties m = centered(mass, Vec3(along + across, along + across, 2 * across));
  m.center.z() = center;
  return m;
}

MassProperties solid(const Disc& s, double density) {
  return plate(density, s.radius, s.radius);
}
MassProperties solid(const Ellipse& s, double density) {
  return plate(density, s.radii.x(), s.radii.y());
}
MassProperties solid(const Hull& s, double density) {
  const Result<Polyhedron> p = hull_polyhedron(s.vertices);
  return p ? mass_properties(*p, density) : MassProperties{};
}
MassProperties solid(const Polygon& s, double density) {
  const Result<Polyhedron> p = polygon_polyhedron(s.vertices);
  return p ? mass_properties(*p, density) : MassProperties{};
}

double reach(const Point&) {
  return 0;
}
double reach(const Sphere& s) {
  return s.radius;
}
double reach(const Box& s) {
  return 0.5 * s.size.norm();
}
double reach(const Capsule& s) {
  return s.radius + 0.5 * s.length;
}
double reach(const Frustum& s) {
  return std::hypot(s.largest_radius(), 0.5 * s.length);
}
double reach(const Ellipsoid& s) {
  return s.radii.maxCoeff();
}
double reach(const Halfspace&) {
  return std::numeric_limits<double>::infinity();
}
double reach(const Disc& s) {
  return s.radius;
}
double reach(const Ellipse& s) {
  return s.radii.maxCoeff();
}
template <class Vertices>
double farthest(const Vertices& vertices) {
  double most = 0;
  for (const auto& v : vertices) most = std::max(most, v.norm());
  return most;
}
double reach(const Hull& s) {
  return farthest(s.vertices);
}
double reach(const Polygon& s) {
  return farthest(s.vertices);
}

// Second moments of volume about the centre, from the tetrahedra between it and the faces (E120).
Mat3 second_moment(const Polyhedron& p, double& volume) {
  Mat3 C = Mat3::Zero();
  const auto from_center = [&](int i) {
    return Vec3(p.vertices[static_cast<std::size_t>(i)] - p.center);
  };
  for (std::size_t f = 0; f < p.faces.size(); ++f) {
    const std::span<const int> loop = p.loop(static_cast<int>(f));
    const Vec3 a = from_center(loop[0]);
    for (std::size_t i = 1; i + 1 < loop.size(); ++i) {
      const Vec3 b = from_center(loop[i]), c = from_center(loop[i + 1]), s = a + b + c;
      const double V = a.dot(b.cross(c)) / 6;
      volume += V;
      C += V / 20 * (a * a.transpose() + b * b.transpose() + c * c.transpose() + s * s.transpose());
    }
  }
  return C;
}

// Second moments of area about the centre, from the triangles between it and the sides (E120).
Mat3 second_moment_of_area(const Polyhedron& p, double& area) {
  Mat3 C = Mat3::Zero();
  for (std::size_t i = 0; i < p.vertices.size(); ++i) {
    const Vec3 a = p.vertices[i] - p.center, b = p.vertices[(i + 1) % p.vertices.size()] - p.center,
               s = a + b;
    const double F = 0.5 * a.cross(b).z();
    area += F;
    C += F / 12 * (a * a.transpose() + b * b.transpose() + s * s.transpose());
  }
  return C;
}

// Inertia of a unit point mass at d about the origin.
Mat3 steiner(const Vec3& d) {
  return d.squaredNorm() * Mat3::Identity() - d * d.transpose();
}

}  // namespace

MassProperties mass_properties(const Geometry& geometry, double density) {
  return std::visit([&](const auto& shape) { return solid(shape, density); }, geometry);
}

MassProperties mass_properties(const Polyhedron& p, double density) {
  double content = 0;
  const Mat3 C = p.planar ? second_moment_of_area(p, content) : second_moment(p, content);
  return {density * content, p.center, density * (C.trace() * Mat3::Identity() - C)};
}

MassProperties combine(std::span<const MassProperties> parts) {
  MassProperties all;
  if (parts.empty()) return all;
  // Offsets from the first part with mass instead of from the origin: parts with one centre keep it
  // to the last bit.
  const Vec3* base = &parts.front().center;
  for (const MassProperties& part : parts)
    if (part.mass != 0) {
      base = &part.center;
      break;
    }
  Vec3 moment = Vec3::Zero();
  for (const MassProperties& part : parts) {
    all.mass += part.mass;
    moment += part.mass * (part.center - *base);
  }
  if (all.mass == 0) return all;
  all.center = *base + moment / all.mass;
  for (const MassProperties& part : parts)
    all.inertia += part.inertia + part.mass * steiner(part.center - all.center);
  return all;
}

MassProperties transformed(const MassProperties& properties, const Pose& X_BS) {
  const Mat3 R = X_BS.R.toRotationMatrix();
  const Mat3 rotated = R * properties.inertia * R.transpose();
  return {properties.mass, X_BS * properties.center, 0.5 * (rotated + rotated.transpose())};
}

double bounding_radius(const Geometry& geometry) {
  return std::visit([](const auto& shape) { return reach(shape); }, geometry);
}

}  // namespace cairn::model
