// Chooses the view of a run: the plane of motion if there is one, and a window that holds what
// moves.
#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "base/infinity.hpp"
#include "record/draw.hpp"

namespace cairn {
namespace {

struct Window {
  double x0 = infinity, y0 = infinity, x1 = -infinity, y1 = -infinity;
  void add(double x, double y, double rx, double ry) {
    if (!std::isfinite(x) || !std::isfinite(y)) return;
    x0 = std::min(x0, x - rx);
    x1 = std::max(x1, x + rx);
    y0 = std::min(y0, y - ry);
    y1 = std::max(y1, y + ry);
  }
  bool empty() const { return x0 > x1; }
  double size() const { return std::max(x1 - x0, y1 - y0); }
};

Vec3 axis(int i) {
  return Vec3::Unit(i);
}

// The axis that every free body keeps away from: no translation along it, no rotation but about it.
// -1: none.
int plane_axis(const Model& model) {
  for (const int n : {2, 1, 0}) {
    const bool planar =
        std::all_of(model.bodies.begin(), model.bodies.end(), [&](const Body& body) {
          if (body.kind != BodyKind::dynamic) return true;
          if (body.translations[static_cast<std::size_t>(n)]) return false;
          return body.rotation == RotationKind::none ||
                 (body.rotation == RotationKind::one && std::abs(body.axis_W[n]) > 0.999);
        });
    if (planar) return n;
  }
  return -1;
}

void set_axes(const Model& model, View& view) {
  const int n = plane_axis(model);
  view.planar = n >= 0;
  if (n == 2) view.right = axis(0), view.up = axis(1);
  if (n == 1) view.right = axis(0), view.up = axis(2);
  if (n == 0) view.right = axis(1), view.up = axis(2);
  if (view.planar) {
    view.toward = view.right.cross(view.up);
    return;
  }
  // Space: gravity points down; seen from the front right and above.
  int vertical = 2;
  if (model.gravity.norm() > 0) model.gravity.cwiseAbs().maxCoeff(&vertical);
  const double sign = model.gravity[vertical] > 0 ? -1 : 1;
  const Vec3 up = sign * axis(vertical);
  const Vec3 front = axis((vertical + 1) % 3), side = up.cross(front);
  const double azimuth = -1.1, elevation = 0.42;  // [rad]
  const Vec3 around = std::cos(azimuth) * front + std::sin(azimuth) * side;
  view.toward = std::cos(elevation) * around + std::sin(elevation) * up;
  view.right = up.cross(view.toward).normalized();
  view.up = view.toward.cross(view.right);
}

template <class Vertices, class Direction>
double farthest_along(const Vertices& vertices, const Direction& d) {
  double most = 0;
  for (const auto& v : vertices) most = std::max(most, std::abs(d.dot(v)));
  return most;
}

// Half the size about the shape's origin along a direction; zero for what has no end.
double half_extent(const Geometry& geometry, const Vec3& d_S) {
  struct {
    Vec3 d;
    double operator()(const Point&) const { return 0; }
    double operator()(const Sphere& s) const { return s.radius; }
    double operator()(const Box& s) const { return 0.5 * s.size.dot(d.cwiseAbs()); }
    double operator()(const Capsule& s) const {
      return s.radius + 0.5 * s.length * std::abs(d.z());
    }
    double operator()(const Ellipsoid& s) const { return s.radii.cwiseProduct(d).norm(); }
    double operator()(const Halfspace&) const { return 0; }
    double operator()(const Disc& s) const { return s.radius; }
    double operator()(const Ellipse& s) const { return s.radii.cwiseProduct(d.head<2>()).norm(); }
    double operator()(const Hull& s) const { return farthest_along(s.vertices, d); }
    double operator()(const Polygon& s) const { return farthest_along(s.vertices, d.head<2>()); }
  } visitor{d_S};
  return std::visit(visitor, geometry);
}

void add_body(const Model& model, const View& view, const Body& body, const Pose& X_WC,
              Window& window) {
  if (body.shapes == 0) window.add(view.right.dot(X_WC.p), view.up.dot(X_WC.p), 0, 0);
  for (int i = 0; i < body.shapes; ++i) {
    const Shape& shape = model.shapes[static_cast<std::size_t>(body.first_shape + i)];
    if (std::holds_alternative<Halfspace>(shape.geometry)) continue;
    const Pose X = X_WC * shape.X_CS;
    window.add(view.right.dot(X.p), view.up.dot(X.p),
               half_extent(shape.geometry, X.R.conjugate() * view.right),
               half_extent(shape.geometry, X.R.conjugate() * view.up));
  }
}

Window moving_window(const Model& model, const View& view, std::span<const Still* const> stills) {
  Window window;
  for (const Still* still : stills)
    for (std::size_t i = 0; i < model.bodies.size(); ++i)
      if (model.bodies[i].kind != BodyKind::fixed)
        add_body(model, view, model.bodies[i], still->poses[i], window);
  return window;
}

// Anchors in the world belong to the picture, and fixed bodies unless they would make all else
// tiny.
void add_surroundings(const Model& model, const View& view, const Still& still, Window& window) {
  for (const Joint& joint : model.joints)
    for (std::size_t side = 0; side < 2; ++side)
      if (joint.bodies[side] == BodyId::world)
        window.add(view.right.dot(joint.anchors[side]), view.up.dot(joint.anchors[side]), 0, 0);
  for (std::size_t i = 0; i < model.bodies.size(); ++i) {
    if (model.bodies[i].kind != BodyKind::fixed) continue;
    Window larger = window;
    add_body(model, view, model.bodies[i], still.poses[i], larger);
    if (window.empty() || larger.size() <= 3 * window.size()) window = larger;
  }
}

void set_center(const Model& model, std::span<const Still* const> stills, View& view) {
  Eigen::AlignedBox3d box;
  for (const Still* still : stills)
    for (std::size_t i = 0; i < model.bodies.size(); ++i)
      if (model.bodies[i].kind != BodyKind::fixed && still->poses[i].p.allFinite()) {
        const Vec3 r = Vec3::Constant(model.bodies[i].radius);
        box.extend(still->poses[i].p - r);
        box.extend(still->poses[i].p + r);
      }
  if (box.isEmpty()) return;
  view.center = box.center();
  view.reach = std::max(0.5 * box.diagonal().norm(), std::numeric_limits<double>::min());
}

}  // namespace

View make_view(const Model& model, std::span<const Still* const> stills) {
  View view;
  set_axes(model, view);
  Window window = moving_window(model, view, stills);
  if (!stills.empty()) add_surroundings(model, view, *stills.back(), window);
  if (window.empty()) window = {0, 0, 1, 1};
  const double size = window.size() > 0 ? window.size() : model.length_unit;

  // A margin, then an aspect that eight pictures side by side can bear.
  const double margin = 0.08 * size;
  double w = window.x1 - window.x0 + 2 * margin, h = window.y1 - window.y0 + 2 * margin;
  w = std::max(w, 0.7 * h);
  h = std::max(h, 0.55 * w);
  const double cx = 0.5 * (window.x0 + window.x1), cy = 0.5 * (window.y0 + window.y1);
  view.x0 = cx - w / 2;
  view.x1 = cx + w / 2;
  view.y0 = cy - h / 2;
  view.y1 = cy + h / 2;
  view.height = view.width * h / w;
  set_center(model, stills, view);

  for (const Still* still : stills)
    for (const ContactReport& contact : still->contacts)
      if (still->h > 0)
        view.largest_force = std::max(view.largest_force, contact.impulse.norm() / still->h);
  return view;
}

}  // namespace cairn
