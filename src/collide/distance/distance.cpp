// measure_distance: of each pair of shapes the gap, of the closest pair gradients and the ratio
// metric. Reads model and state.
#include "cairn/distance.hpp"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <limits>

#include "base/boundary.hpp"
#include "collide/distance/closest_points.hpp"
#include "collide/distance/ratio_units.hpp"
#include "collide/narrowphase.hpp"

namespace cairn {
namespace collide {
namespace {

constexpr double near_share = 1e-3;  // of the size: closer pairs get their normal from features [-]
constexpr double coincident_share = 1e-11;  // of the size: points that coincide [-]

struct PlacedPart {
  const Shape& shape;
  Pose X_WS;
  const Polyhedron* polyhedron;  // null: none
};

PlacedPart placed_part(const Model& model, const State& state, BodyId body, int number) {
  const Shape& shape =
      model.shapes[static_cast<std::size_t>(model.body(body).first_shape + number)];
  const Polyhedron* polyhedron =
      shape.polyhedron < 0 ? nullptr : &model.polyhedra[static_cast<std::size_t>(shape.polyhedron)];
  return {shape, state.poses[index(body)] * shape.X_CS, polyhedron};
}

bool are_polyhedra(const PlacedPart& a, const PlacedPart& b) {
  return a.polyhedron && b.polyhedron && a.polyhedron->planar == b.polyhedron->planar;
}

std::vector<Vec3> corners(const Placed& p, const Vec3& shift) {
  std::vector<Vec3> all;
  all.reserve(p.shape->vertices.size());
  for (std::size_t v = 0; v < p.shape->vertices.size(); ++v)
    all.push_back(p.vertex(static_cast<int>(v)) + shift);
  return all;
}

// Those that lie farthest along n, to rounding.
std::vector<Vec3> supporting(const std::vector<Vec3>& points, const Vec3& n, double slack) {
  double top = -std::numeric_limits<double>::infinity();
  for (const Vec3& p : points) top = std::max(top, n.dot(p - points[0]));
  std::vector<Vec3> kept;
  for (const Vec3& p : points)
    if (n.dot(p - points[0]) >= top - slack) kept.push_back(p);
  return kept;
}

// (E500, E501)
ShapeContact polyhedra_contact(const PlacedPart& a, const PlacedPart& b) {
  const Placed A(*a.polyhedron, a.X_WS);
  Placed B(*b.polyhedron, b.X_WS);
  // Polygons meet in the plane half-way between theirs.
  Vec3 across = Vec3::Zero();
  if (A.shape->planar) {
    const Vec3 z = A.R_WS.col(2);
    across = 0.5 * z * z.dot(B.pose.p - A.pose.p);
    B.pose.p -= 2 * across;
  }
  const std::vector<Vec3> of_a = corners(A, Vec3::Zero()), of_b = corners(B, Vec3::Zero());
  const double size = A.shape->outer_radius + B.shape->outer_radius;
  const ClosestPoints closest = closest_points(of_a, of_b);
  const auto contact = [&](const Vec3& p_A, const Vec3& n, double gap) {
    return ShapeContact{p_A + across, p_A + gap * n + across, n, gap, 0};
  };
  const auto of_points = [&] {
    return contact(closest.p_A, (closest.p_B - closest.p_A).normalized(), closest.distance);
  };
  if (closest.distance > near_share * size) return of_points();
  // Shift B until it touches: a common point of the supporting features is the witness. Where
  // there is none the closest features are no face and no pair of edges.
  const LeastDepth depth = least_depth_axis(A, B);
  std::vector<Vec3> touching = supporting(of_b, -depth.n_W, coincident_share * size);
  for (Vec3& p : touching) p -= depth.separation * depth.n_W;
  const ClosestPoints witness =
      closest_points(supporting(of_a, depth.n_W, coincident_share * size), touching);
  if (depth.separation > 0 && witness.distance > coincident_share * size && closest.distance > 0)
    return of_points();
  return contact(witness.p_A, depth.n_W, depth.separation);
}

bool are_points(const PlacedPart& a, const PlacedPart& b) {
  return std::holds_alternative<Point>(a.shape.geometry) &&
         std::holds_alternative<Point>(b.shape.geometry);
}

ShapeContact points_contact(const PlacedPart& a, const PlacedPart& b) {
  const Vec3 d = b.X_WS.p - a.X_WS.p;
  const double gap = d.norm();
  return {a.X_WS.p, b.X_WS.p, gap > 0 ? Vec3(d / gap) : Vec3(Vec3::UnitX()), gap, 0};
}

// Nothing: there is no function for the pair.
std::optional<ShapeContact> closest_contact(const PlacedPart& a, const PlacedPart& b) {
  if (are_polyhedra(a, b)) return polyhedra_contact(a, b);
  if (are_points(a, b)) return points_contact(a, b);
  if (!can_collide(a.shape.geometry, b.shape.geometry)) return std::nullopt;
  std::vector<ShapeContact> contacts;
  collide_shapes(a.shape.geometry, a.X_WS, b.shape.geometry, b.X_WS, contacts, a.polyhedron,
                 b.polyhedron);
  const auto least =
      std::min_element(contacts.begin(), contacts.end(),
                       [](const ShapeContact& x, const ShapeContact& y) { return x.gap < y.gap; });
  if (least == contacts.end()) return std::nullopt;
  ShapeContact contact = *least;
  contact.p_WA = contact.p_WB - contact.gap * contact.n_W;
  return contact;
}

// The normal of the plane in which a pair with a planar shape moves; nothing: it moves in space.
std::optional<Vec3> plane_normal(const PlacedPart& a, const PlacedPart& b) {
  for (const PlacedPart* part : {&a, &b})
    if (is_planar(part->shape.geometry)) return part->X_WS.R * Vec3::UnitZ();
  return std::nullopt;
}

// Gradients by translations g_a, g_b and by rotations about the points c_a, c_b, as those about
// the centres of mass (E504).
PairGradient about_centres_of_mass(const RatioGradient& g, const Vec3& c_a, const Vec3& c_b,
                                   const Vec3& x_a, const Vec3& x_b,
                                   const std::optional<Vec3>& plane) {
  PairGradient result{{g.x1, g.theta1 + (c_a - x_a).cross(g.x1)},
                      {g.x2, g.theta2 + (c_b - x_b).cross(g.x2)}};
  if (plane)
    for (PoseGradient* each : {&result.a, &result.b}) {
      each->translation -= *plane * plane->dot(each->translation);
      each->rotation = *plane * plane->dot(each->rotation);
    }
  return result;
}

Error name_fault(ErrorCode code, const std::string& what, const std::string& got) {
  Error error;
  error.code = code;
  error.what = what;
  error.got = got;
  return error;
}

Result<std::pair<int, int>> shape_range(const Model& model, const BodyPart& part) {
  if (!(index(part.body) < model.bodies.size()))
    return fail(name_fault(ErrorCode::unknown_name, "no body has this number",
                           fmt::format("{}", static_cast<int>(part.body))));
  const Body& body = model.body(part.body);
  if (body.shapes == 0) {
    Error error = name_fault(ErrorCode::empty, "the body has no shape", body.name);
    error.fix = "give it one; a point has no size";
    return fail(error);
  }
  if (part.shape >= body.shapes || part.shape < -1) {
    Error error =
        name_fault(ErrorCode::unknown_name, fmt::format("body '{}' has no such shape", body.name),
                   fmt::format("{}", part.shape));
    error.allowed = fmt::format("0 to {}", body.shapes - 1);
    return fail(error);
  }
  return part.shape < 0 ? std::pair(0, body.shapes) : std::pair(part.shape, part.shape + 1);
}

Error no_function(const Model& model, const BodyPart& a, const BodyPart& b, const PlacedPart& x,
                  const PlacedPart& y) {
  const bool mixed = is_planar(x.shape.geometry) != is_planar(y.shape.geometry);
  Error error;
  error.code = mixed ? ErrorCode::wrong_dimension : ErrorCode::unsupported;
  error.what = fmt::format("there is no distance between the {} of '{}' and the {} of '{}'",
                           type_name(x.shape.geometry), model.body(a.body).name,
                           type_name(y.shape.geometry), model.body(b.body).name);
  error.fix = mixed ? "planar shapes are infinite cylinders: take two planar or two spatial ones"
                    : "name bounded shapes, such as BODY[0]";
  return error;
}

RatioMetric ratio_of(const PlacedPart& a, const PlacedPart& b, const Vec3& x_a, const Vec3& x_b,
                     const std::optional<Vec3>& plane) {
  const Placed A(*a.polyhedron, a.X_WS), B(*b.polyhedron, b.X_WS);
  const Ratio ratio = ratio_metric(*a.polyhedron, a.X_WS, *b.polyhedron, b.X_WS);
  const auto gradient = [&](const RatioGradient& g) {
    return about_centres_of_mass(g, ratio.x_WA, ratio.x_WB, x_a, x_b, plane);
  };
  return {.r = ratio.r,
          .rho = ratio.rho,
          .normal_W = ratio.axis,
          .separation = ratio.separation,
          .point_W = ratio.p_W,
          .events = ratio_units(A, B, ratio),
          .r_gradient = gradient(gradient_of_r(ratio)),
          .rho_gradient = gradient(gradient_of_rho(ratio)),
          .separation_gradient = gradient(gradient_of_separation(ratio))};
}

Result<Distance> measure(const Model& model, const State& state, const BodyPart& a,
                         const BodyPart& b) {
  const Result<std::pair<int, int>> of_a = shape_range(model, a), of_b = shape_range(model, b);
  if (!of_a) return tl::unexpected(of_a.error());
  if (!of_b) return tl::unexpected(of_b.error());
  if (a.body == b.body) {
    Error error = name_fault(ErrorCode::conflict, "a body has no distance from itself",
                             model.body(a.body).name);
    error.fix = "name two bodies";
    return fail(error);
  }
  Distance result;
  result.body_a = a.body;
  result.body_b = b.body;
  result.gap = std::numeric_limits<double>::infinity();
  for (int i = of_a->first; i < of_a->second; ++i)
    for (int k = of_b->first; k < of_b->second; ++k) {
      const PlacedPart x = placed_part(model, state, a.body, i),
                       y = placed_part(model, state, b.body, k);
      const std::optional<ShapeContact> contact = closest_contact(x, y);
      if (!contact) return fail(no_function(model, a, b, x, y));
      if (!(contact->gap < result.gap)) continue;
      result.shape_a = i, result.shape_b = k;
      result.gap = contact->gap;
      result.normal_W = contact->n_W;
      result.p_WA = contact->p_WA, result.p_WB = contact->p_WB;
    }
  if (!std::isfinite(result.gap)) {
    Error error = name_fault(ErrorCode::not_finite, "the distance is not finite", "");
    error.fix = "see the positions of both bodies";
    return fail(error);
  }
  const PlacedPart x = placed_part(model, state, a.body, result.shape_a),
                   y = placed_part(model, state, b.body, result.shape_b);
  const Vec3 &x_a = state.poses[index(a.body)].p, &x_b = state.poses[index(b.body)].p;
  const std::optional<Vec3> plane = plane_normal(x, y);
  const Vec3& n = result.normal_W;
  result.gap_gradient = about_centres_of_mass({-n, Vec3::Zero(), n, Vec3::Zero()}, result.p_WA,
                                              result.p_WB, x_a, x_b, plane);
  if (are_polyhedra(x, y)) result.ratio = ratio_of(x, y, x_a, x_b, plane);
  return result;
}

}  // namespace
}  // namespace collide

const char* name(RatioUnit::Kind kind) {
  switch (kind) {
    case RatioUnit::Kind::face_vertex:
      return "face-vertex";
    case RatioUnit::Kind::vertex_face:
      return "vertex-face";
    case RatioUnit::Kind::edge_edge:
      break;
  }
  return "edge-edge";
}

Result<Distance> measure_distance(const Model& model, const State& state, const BodyPart& a,
                                  const BodyPart& b) {
  return base::guarded([&] { return collide::measure(model, state, a, b); });
}

}  // namespace cairn
