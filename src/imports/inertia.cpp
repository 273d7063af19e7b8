#include "imports/inertia.hpp"

#include <Eigen/Eigenvalues>
#include <cmath>
#include <numbers>

#include "cairn/polyhedron.hpp"

namespace cairn::imports {
namespace {

constexpr double pi = std::numbers::pi;
// The scene reader takes inertias that miss the triangle inequality by this much; see
// model/body_mass.cpp.
constexpr double slack = 1e-9;

Inertial about_center(double mass, const Vec3& diagonal) {
  Inertial out;
  out.mass = mass;
  out.inertia = diagonal.asDiagonal();
  return out;
}

Inertial capsule(double r, double l) {
  const double tube = pi * r * r * l, ball = 4.0 / 3 * pi * r * r * r;
  const double across =
      tube * (l * l / 12 + r * r / 4) + ball * (2.0 / 5 * r * r + l * l / 4 + 3.0 / 8 * l * r);
  const double along = tube * r * r / 2 + ball * 2.0 / 5 * r * r;
  return about_center(tube + ball, {across, across, along});
}

// Volume, its first and second moments, of the tetrahedra between a point and the triangles.
struct Moments {
  double volume = 0;
  Vec3 first = Vec3::Zero();   // about the point
  Mat3 second = Mat3::Zero();  // integral of x x^T
};

Moments tetrahedra(const std::vector<Vec3>& points,
                   const std::vector<std::array<int, 3>>& triangles, const Vec3& apex,
                   bool all_positive) {
  Moments out;
  const auto point = [&](int i) -> Vec3 { return points[static_cast<std::size_t>(i)] - apex; };
  for (const auto& t : triangles) {
    const Vec3 a = point(t[0]), b = point(t[1]), c = point(t[2]);
    double v = a.dot(b.cross(c)) / 6;
    if (all_positive) v = std::abs(v);
    const Vec3 s = a + b + c;
    out.volume += v;
    out.first += v / 4 * s;
    out.second +=
        v / 20 * (s * s.transpose() + a * a.transpose() + b * b.transpose() + c * c.transpose());
  }
  return out;
}

Inertial enclosed(const std::vector<Vec3>& points,
                  const std::vector<std::array<int, 3>>& triangles) {
  const Moments m = tetrahedra(points, triangles, Vec3::Zero(), false);
  // Triangles that are seen from inside.
  const double sign = m.volume < 0 ? -1 : 1;
  Inertial out;
  if (m.volume == 0) return out;
  out.mass = sign * m.volume;
  out.com = m.first / m.volume;
  const Mat3 second = sign * m.second - out.mass * out.com * out.com.transpose();
  out.inertia = second.trace() * Mat3::Identity() - second;
  return out;
}

// MuJoCo's: from the mean of the triangles, then from the centre of mass.
Inertial mujoco_enclosed(const Mesh& mesh) {
  double area = 0;
  Vec3 middle = Vec3::Zero();
  for (const auto& t : mesh.triangles) {
    const Vec3 &a = mesh.points[static_cast<std::size_t>(t[0])],
               &b = mesh.points[static_cast<std::size_t>(t[1])],
               &c = mesh.points[static_cast<std::size_t>(t[2])];
    const double own = 0.5 * (b - a).cross(c - a).norm();
    area += own;
    middle += own / 3 * (a + b + c);
  }
  Inertial out;
  if (!(area > 0)) return out;
  middle /= area;
  const Moments m = tetrahedra(mesh.points, mesh.triangles, middle, true);
  if (!(m.volume > 0)) return out;
  out.com = middle + m.first / m.volume;
  const Moments about = tetrahedra(mesh.points, mesh.triangles, out.com, true);
  out.mass = about.volume;
  out.inertia = about.second.trace() * Mat3::Identity() - about.second;
  return out;
}

Inertial of_mesh(const Mesh& mesh) {
  if (!mesh.triangles.empty() && mesh.inertia == MeshInertia::legacy)
    if (Inertial solid = mujoco_enclosed(mesh); solid.mass > 0) return solid;
  if (!mesh.triangles.empty() && mesh.inertia != MeshInertia::convex)
    if (Inertial solid = enclosed(mesh.points, mesh.triangles); solid.mass > 0) return solid;
  const Result<Polyhedron> hull = hull_polyhedron(mesh.points);
  if (!hull) return {};
  std::vector<std::array<int, 3>> triangles;
  for (std::size_t f = 0; f < hull->faces.size(); ++f) {
    const auto loop = hull->loop(static_cast<int>(f));
    for (std::size_t i = 2; i < loop.size(); ++i)
      triangles.push_back({loop[0], loop[i - 1], loop[i]});
  }
  return enclosed(hull->vertices, triangles);
}

}  // namespace

Inertial moved(const Inertial& inertial, const Pose& X_AB) {
  const Mat3 R = X_AB.R.toRotationMatrix();
  return {inertial.mass, X_AB * inertial.com, R * inertial.inertia * R.transpose()};
}

Inertial sum(const Inertial& a, const Inertial& b) {
  Inertial out;
  out.mass = a.mass + b.mass;
  out.com = out.mass > 0 ? Vec3((a.mass * a.com + b.mass * b.com) / out.mass) : a.com;
  const auto about = [&](const Inertial& part) -> Mat3 {
    const Vec3 d = part.com - out.com;
    return part.inertia + part.mass * (d.squaredNorm() * Mat3::Identity() - d * d.transpose());
  };
  out.inertia = about(a) + about(b);
  return out;
}

Inertial unit_density(const ImportedShape& shape) {
  const Vec3& s = shape.size;
  Inertial out;
  switch (shape.kind) {
    case ShapeKind::sphere: {
      const double m = 4.0 / 3 * pi * s.x() * s.x() * s.x();
      out = about_center(m, Vec3::Constant(2.0 / 5 * m * s.x() * s.x()));
      break;
    }
    case ShapeKind::box: {
      const double m = s.prod();
      const Vec3 q = s.cwiseProduct(s);
      out = about_center(m, m / 12 * Vec3(q.y() + q.z(), q.x() + q.z(), q.x() + q.y()));
      break;
    }
    case ShapeKind::capsule:
      out = capsule(s.x(), s.y());
      break;
    case ShapeKind::cylinder: {
      const double m = pi * s.x() * s.x() * s.y();
      const double across = m * (s.x() * s.x() / 4 + s.y() * s.y() / 12);
      out = about_center(m, {across, across, m * s.x() * s.x() / 2});
      break;
    }
    case ShapeKind::ellipsoid: {
      const double m = 4.0 / 3 * pi * s.prod();
      const Vec3 q = s.cwiseProduct(s);
      out = about_center(m, m / 5 * Vec3(q.y() + q.z(), q.x() + q.z(), q.x() + q.y()));
      break;
    }
    case ShapeKind::halfspace:
      return out;
    case ShapeKind::mesh:
      out = of_mesh(*shape.mesh);
      break;
  }
  return moved(out, shape.X_BS);
}

bool make_possible(Inertial& inertial, const ImportOptions& options, const Place& place,
                   const std::string& path, bool xml_bounds, Messages& messages) {
  const std::string bound = xml_bounds ? "boundmass and boundinertia of <compiler>, or " : "";
  if (inertial.mass < options.bound_mass) inertial.mass = options.bound_mass;
  if (!(inertial.mass > 0)) {
    messages.error(place, ErrorCode::invalid_inertia, path + ".mass",
                   "the body moves but has no mass", short_text(inertial.mass) + " kg",
                   "a positive mass",
                   "give an <inertial>, join the body rigidly, or use " + bound +
                       "--bound-mass M --bound-inertia I");
    return false;
  }
  const Mat3 symmetric = 0.5 * (inertial.inertia + inertial.inertia.transpose());
  if (!symmetric.allFinite()) {
    messages.error(place, ErrorCode::not_finite, path + ".inertia",
                   "the moments of inertia are beyond what numbers hold", "", "finite moments",
                   "check the units");
    return false;
  }
  const Eigen::SelfAdjointEigenSolver<Mat3> solver(symmetric);
  Vec3 moments = solver.eigenvalues();
  const Vec3 before = moments;
  const double size = moments.cwiseAbs().maxCoeff();
  // A diagonal matrix whose rounding is below the bound is left bit for bit.
  if (options.bound_inertia > 0) moments = moments.cwiseMax(options.bound_inertia);
  if (options.balance_inertia && moments[0] + moments[1] < moments[2])
    moments = Vec3::Constant(moments.sum() / 3);
  if (moments != before) {
    const Mat3 axes = solver.eigenvectors();
    inertial.inertia = axes * moments.asDiagonal() * axes.transpose();
    messages.note(place, path, "inertia",
                  "principal moments changed as the bounds or the balance of inertias ask");
  }
  const std::string got = "principal moments " + short_text(before[0]) + ", " +
                          short_text(before[1]) + ", " + short_text(before[2]) + " kg m^2";
  if (!(moments[0] > 1e-16 * size)) {
    messages.error(place, ErrorCode::invalid_inertia, path + ".inertia",
                   "the body turns but a moment of inertia is not positive", got,
                   "positive principal moments",
                   "correct the <inertia>, or use " + bound + "--bound-inertia I");
    return false;
  }
  if (moments[2] > (moments[0] + moments[1]) * (1 + slack)) {
    messages.error(place, ErrorCode::invalid_inertia, path + ".inertia",
                   "no body has such an inertia: the largest principal moment exceeds the sum of "
                   "the others",
                   got, "largest at most the sum of the others",
                   "correct the <inertia>, or use --balance-inertia, which takes their mean");
    return false;
  }
  return true;
}

}  // namespace cairn::imports
