// Closed forms of mass and inertia for every shape, and the parallel-axis theorem.
#include "model/mass_properties.hpp"

#include <cmath>
#include <limits>
#include <numbers>

namespace cairn {
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

MassProperties solid(const Disc& s, double density) {
  return plate(density, s.radius, s.radius);
}
MassProperties solid(const Ellipse& s, double density) {
  return plate(density, s.radii.x(), s.radii.y());
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

// Inertia of a unit point mass at d about the origin.
Mat3 steiner(const Vec3& d) {
  return d.squaredNorm() * Mat3::Identity() - d * d.transpose();
}

}  // namespace

MassProperties mass_properties(const Geometry& geometry, double density) {
  return std::visit([&](const auto& shape) { return solid(shape, density); }, geometry);
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

}  // namespace cairn
