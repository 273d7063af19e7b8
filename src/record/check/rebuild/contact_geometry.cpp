#include "record/check/rebuild/contact_geometry.hpp"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <numbers>
#include <tuple>

#include "model/joint/joint_kind.hpp"
#include "record/check/rebuild/mechanics.hpp"
#include "record/check/rebuild/solid.hpp"

namespace cairn::record {
namespace {

constexpr double gap_relative = 1e-12;   // of the size of the pair [-]
constexpr double unit_relative = 1e-12;  // of unit vectors [-]

struct Witness {
  Vec3 a, b;  // on the surfaces [m]
};

Witness witness_of(const Contact& c) {
  return {c.p_WC - 0.5 * c.gap * c.n_W, c.p_WC + 0.5 * c.gap * c.n_W};
}

// Which features of two polyhedra meet, from the key of the contact (E140): the two upper bits of
// each tell faces, corners and edges apart.
struct Meeting {
  enum Kind { corner_b, corner_a, edges, none } kind;
  int a, b;
};
Meeting meeting_of(const Features& f) {
  const std::uint32_t of_a = f.a >> 30, of_b = f.b >> 30;
  const auto number = [](std::uint32_t x) { return static_cast<int>(x & 0x3fffffff); };
  const Meeting::Kind kind = of_a == 0 && of_b == 1   ? Meeting::corner_b
                             : of_a == 1 && of_b == 0 ? Meeting::corner_a
                             : of_a == 2 && of_b == 2 ? Meeting::edges
                                                      : Meeting::none;
  return {kind, number(f.a), number(f.b)};
}

// The feature of other pairs: that of one shape, or the same of both.
int number_of(const Features& f) {
  return static_cast<int>(std::max(f.a, f.b) & 0x7fffffff);
}

bool within(int i, std::size_t count) {
  return i >= 0 && static_cast<std::size_t>(i) < count;
}

struct Wanted {
  Vec3 p, n;
  double gap = 0;
  double normal_error = unit_relative;  // [-]
};

std::string differs(const Contact& c, const Wanted& w, double tolerance) {
  if (!((c.n_W - w.n).norm() <= w.normal_error))
    return fmt::format("its normal is {:.3g} rad away from that of its features",
                       (c.n_W - w.n).norm());
  if (!(std::abs(c.gap - w.gap) <= tolerance))
    return fmt::format("its gap is recorded as {:.9g} m, its features are {:.9g} m apart", c.gap,
                       w.gap);
  if (!((c.p_WC - w.p).norm() <= tolerance))
    return fmt::format("its point is {:.3g} m away from its features", (c.p_WC - w.p).norm());
  return {};
}

Wanted corner_on(const Solid& owner, int face, const Vec3& corner, double sign) {
  const Polyhedron::Face& f = owner.polyhedron->faces[static_cast<std::size_t>(face)];
  const Vec3 n = owner.X.R * f.normal;
  const double gap = f.normal.dot(owner.X.R.conjugate() * (corner - owner.X.p)) - f.offset;
  return {corner - 0.5 * gap * n, sign * n, gap};
}

std::string edges_fault(const Solid& a, const Solid& b, const Meeting& f, double parallel,
                        const Contact& c, double tolerance) {
  const Polyhedron::Edge &ea = a.polyhedron->edges[static_cast<std::size_t>(f.a)],
                         &eb = b.polyhedron->edges[static_cast<std::size_t>(f.b)];
  const Vec3 pa = a.vertex(ea.tail), pb = b.vertex(eb.tail);
  const Vec3 u = a.vertex(ea.head) - pa, v = b.vertex(eb.head) - pb, w = u.cross(v);
  const double sine = w.norm() / (u.norm() * v.norm());
  if (!(sine > 0x1p-41)) return "its edges are parallel";
  const Vec3 d = pb - pa;
  const Vec3 on_a = pa + d.cross(v).dot(w) / w.squaredNorm() * u,
             on_b = pb + d.cross(u).dot(w) / w.squaredNorm() * v;
  // Points where edges cross under a small angle are as uncertain as the angle is small.
  const double loose = tolerance / std::min(1.0, sine * sine);
  Vec3 n = w.normalized();
  if (n.dot(c.n_W) < 0) n = -n;
  const auto normal = [](const Solid& s, int face) -> Vec3 {
    return s.X.R * s.polyhedron->faces[static_cast<std::size_t>(face)].normal;
  };
  const double near_line = std::abs(sine - parallel) <= 1e-9 * parallel ? 1 : 0;
  double error = unit_relative / sine;
  if (sine <= parallel || near_line > 0)
    for (const int face : {ea.left, ea.right})
      if ((normal(a, face) - c.n_W).norm() <= unit_relative)
        n = normal(a, face), error = unit_relative;
  if (sine > parallel) {
    // The normal leads out of A's edge and into B's.
    const Vec3 out =
        normal(a, ea.left) + normal(a, ea.right) - normal(b, eb.left) - normal(b, eb.right);
    if (n.dot(out) < -1e-9) return "its normal points the wrong way";
  }
  return differs(c, {0.5 * (on_a + on_b), n, n.dot(on_b - on_a), error}, loose);
}

std::string polyhedra_fault(const Solid& a, const Solid& b, const SchemeOptions& scheme,
                            const Contact& c, double tolerance) {
  const Meeting f = meeting_of(c.key.feature);
  const Polyhedron &pa = *a.polyhedron, &pb = *b.polyhedron;
  const bool exists =
      f.kind == Meeting::corner_b ? within(f.a, pa.faces.size()) && within(f.b, pb.vertices.size())
      : f.kind == Meeting::corner_a
          ? within(f.a, pa.vertices.size()) && within(f.b, pb.faces.size())
      : f.kind == Meeting::edges ? within(f.a, pa.edges.size()) && within(f.b, pb.edges.size())
                                 : false;
  if (!exists) return "it names features that the shapes do not have";
  if (f.kind == Meeting::corner_b)
    return differs(c, corner_on(a, f.a, b.vertex(f.b), 1), tolerance);
  if (f.kind == Meeting::corner_a)
    return differs(c, corner_on(b, f.b, a.vertex(f.a), -1), tolerance);
  const Euler* euler = euler_options(scheme);
  return edges_fault(a, b, f, euler ? euler->events.delta_max : EventOptions{}.delta_max, c,
                     tolerance);
}

// A halfspace with a corner, a cap or the surface of the other shape.
std::string halfspace_fault(const Solid& wall, const Solid& other, const Vec3& on_wall,
                            const Vec3& on_other, const Vec3& n, int feature, const Vec3& axis,
                            double tolerance) {
  Vec3 face = wall.X.R * std::get<Halfspace>(wall.geometry).normal;
  face = (face - axis.dot(face) * axis).normalized();
  if (!((n - face).norm() <= unit_relative))
    return fmt::format("its normal is {:.3g} rad away from that of the halfspace",
                       (n - face).norm());
  if (const double e = wall.defect(on_wall, n, axis); !(e <= tolerance))
    return fmt::format("its point and normal are {:.3g} m off the halfspace", e);
  if (std::holds_alternative<Frustum>(other.geometry)) {
    const int end = (feature >> 8) - 1, point = feature & 0xff;
    if (end < 0 || end > 1 || point > 15 || (point > 3 && point < 8))
      return "it names a point that the rims do not have";
    if (const double e = other.rim_fault(end, point, on_other, -n); !(e <= tolerance))
      return fmt::format("its point is {:.3g} m away from the point of the rim it names", e);
    return {};
  }
  Vec3 expected = on_other;
  if (std::holds_alternative<Capsule>(other.geometry)) {
    if (feature != 0 && feature != 1) return "it names a cap that the capsule does not have";
    expected = other.cap(feature) - std::get<Capsule>(other.geometry).radius * n;
  } else if (other.polyhedron) {
    if (!within(feature, other.polyhedron->vertices.size()))
      return "it names a corner that the shape does not have";
    expected = other.vertex(feature);
  } else {
    const double e = std::max(other.outside(on_other, axis), other.defect(on_other, -n, axis));
    if (!(e <= tolerance))
      return fmt::format("its point is {:.3g} m off the surface of the shape", e);
    if (const double r = other.round_radius(); r >= 0) expected = other.X.p - r * n;
  }
  Vec3 off = on_other - expected;
  off -= axis.dot(off) * axis;
  if (!(off.norm() <= tolerance))
    return fmt::format("its point is {:.3g} m away from the corner or cap it names", off.norm());
  return {};
}

bool along_face(const Solid& a, const Vec3& n) {
  return a.polyhedron && std::any_of(a.polyhedron->faces.begin(), a.polyhedron->faces.end(),
                                     [&](const Polyhedron::Face& f) {
                                       return (a.X.R * f.normal - n).norm() <= unit_relative;
                                     });
}

// The points lie on both shapes, and the normal is in both normal cones.
std::string surfaces_fault(const Solid& a, const Solid& b, const Contact& c, const Vec3& axis,
                           double tolerance) {
  const Witness w = witness_of(c);
  const double out_a = a.outside(w.a, axis), out_b = b.outside(w.b, axis);
  if (!(std::max(out_a, out_b) <= tolerance))
    return fmt::format("its point and gap are {:.3g} m off the surface of {} shape",
                       std::max(out_a, out_b), out_a > out_b ? "the first" : "the second");
  // On a round shape the point that belongs to a normal is known to first order.
  for (const auto& [solid, point, sign] : {std::tuple(&a, w.a, 1.0), std::tuple(&b, w.b, -1.0)})
    if (const double r = solid->round_radius(); r >= 0) {
      Vec3 off = point - (solid->X.p + sign * r * c.n_W);
      off -= axis.dot(off) * axis;
      if (!(off.norm() <= tolerance))
        return fmt::format("its point is {:.3g} m away from where its normal meets the shape",
                           off.norm());
    }
  const double cone_a = a.defect(w.a, c.n_W, axis), cone_b = b.defect(w.b, -c.n_W, axis);
  if (std::max(cone_a, cone_b) <= tolerance) return {};
  // Points that span the patch of a frustum: on both surfaces, along the normal of one of them.
  const bool frustum =
      std::holds_alternative<Frustum>(a.geometry) || std::holds_alternative<Frustum>(b.geometry);
  if (frustum && c.key.feature != Features{0, 0} && std::min(cone_a, cone_b) <= tolerance &&
      std::min(out_a, out_b) >= -tolerance)
    return {};
  // Two contacts of a capsule along a face or along another capsule: one of them has the normal of
  // the face or of nearly parallel axes.
  if (number_of(c.key.feature) == 1 || number_of(c.key.feature) == 2) {
    const bool capsules =
        std::holds_alternative<Capsule>(a.geometry) && std::holds_alternative<Capsule>(b.geometry);
    if (capsules && std::max(cone_a, cone_b) <= 0x1p-22 * (a.size() + b.size())) return {};
    if (along_face(a, c.n_W) || along_face(b, -c.n_W)) return {};
  }
  return fmt::format("its normal is {:.3g} m outside the normal cone of {} shape",
                     std::max(cone_a, cone_b), cone_a > cone_b ? "the first" : "the second");
}

std::string frame_fault(const Model& model, const std::vector<Pose>& poses, const Contact& c) {
  Mat3 F;
  F << c.n_W, c.t1_W, c.t2_W;
  if (!((F.transpose() * F - Mat3::Identity()).norm() <= 4 * unit_relative) ||
      !(F.determinant() > 0))
    return "normal and tangents are no right-handed frame";
  // A direction along which a body can move has a row, unless there is no friction.
  const bool rubs = c.friction > 0;
  if (!rubs) return c.rows == 1 ? "" : "it has rows of friction without friction";
  double free[2] = {0, 0};
  for (const BodyId id : {c.key.body_a, c.key.body_b}) {
    const Body& body = model.body(id);
    const Pose& X = poses[index(id)];
    for (const int k : {0, 1}) {
      Row6 row = point_row_of(body, X, c.p_WC, k == 0 ? c.t1_W : c.t2_W);
      row.tail(3) /= model.length_unit;
      free[k] = std::max(free[k], row.cwiseAbs().maxCoeff());
    }
  }
  constexpr double still = 1e-6;
  if ((c.rows < 2 && free[0] > still) || (c.rows < 3 && free[1] > still))
    return "a tangent along which a body can move has no row";
  return {};
}

}  // namespace

double coordinate_of(const Joint& joint, const Pose& A, const Pose& B) {
  const Vec3 axis = A.R * joint.axes[0];
  const Vec3 between = B * joint.anchors[1] - A * joint.anchors[0];
  const auto kind = model::kind_of(joint.type).coordinate;
  if (kind == CoordinateKind::displacement) return axis.dot(between);
  if (kind == CoordinateKind::distance) return between.norm();
  const Vec3 across = tangents(joint.axes[0]).t1;
  const Vec3 from = A.R * across, to = B.R * (joint.R_AB.conjugate() * across);
  const double middle = 0.5 * (joint.limits.lower + joint.limits.upper);
  double angle = std::atan2(axis.dot(from.cross(to)), from.dot(to));
  if (angle < middle - std::numbers::pi) angle += 2 * std::numbers::pi;
  if (angle > middle + std::numbers::pi) angle -= 2 * std::numbers::pi;
  return angle;
}

double beyond_range(const Joint& joint, const Pose& A, const Pose& B) {
  if (!joint.limits.any()) return 0;
  const double value = coordinate_of(joint, A, B);
  return std::max({0.0, joint.limits.lower - value, value - joint.limits.upper});
}

double open_length(const Joint& joint, const Vec3& axis, const Vec3& between) {
  switch (model::kind_of(joint.type).points) {
    case model::HeldPoints::none:
      return 0;
    case model::HeldPoints::all:
      return between.norm();
    case model::HeldPoints::line:
      return axis.cross(between).norm();
    case model::HeldPoints::plane:
      return std::abs(axis.dot(between));
    case model::HeldPoints::distance:
      return std::abs(between.norm() - std::get<DistanceJoint>(joint.type).length);
  }
  return 0;
}

// (E760, E761), by the directions that the axis and one across it have in both bodies.
static std::string limit_fault(const Model& model, const std::vector<Pose>& poses,
                               const Contact& c) {
  const Joint& joint = model.joints[index(limited_joint(c.key))];
  const auto [low, high] = std::minmax(joint.bodies[0], joint.bodies[1]);
  if (c.key.body_a != low || c.key.body_b != high) return "its key names bodies of another joint";
  const bool lower = limit_side(c.key) == LimitSide::lower;
  const double end = lower ? joint.limits.lower : joint.limits.upper;
  if (!std::isfinite(end)) return "its joint has no such limit";
  const Pose &A = poses[index(joint.bodies[0])], &B = poses[index(joint.bodies[1])];
  const auto kind = model::kind_of(joint.type).coordinate;
  const Vec3 axis = kind == CoordinateKind::distance
                        ? Vec3((B * joint.anchors[1] - A * joint.anchors[0]).normalized())
                        : Vec3(A.R * joint.axes[0]);
  const double sense = lower == (joint.bodies[0] == low) ? 1 : -1;
  if (!((c.n_W - sense * axis).norm() <= unit_relative))
    return "its normal is not its joint's axis";
  const bool hinge = kind == CoordinateKind::angle;
  if (c.lever != (hinge ? model.length_unit : 0)) return "its lever is not the scene's";
  const Vec3 b = B * joint.anchors[1], a = A * joint.anchors[0];
  const double size = a.norm() + b.norm() + std::abs(c.gap) + model.length_unit;
  if (!((c.p_WC - b).norm() <= gap_relative * size)) return "its point is not its joint's";
  const double value = coordinate_of(joint, A, B);
  const double gap = (lower ? value - end : end - value) * (hinge ? model.length_unit : 1);
  // Where the axes of the two bodies differ, so do the angles by the square of it.
  const double misaligned = hinge ? axis.cross(B.R * joint.axes[1]).squaredNorm() : 0;
  if (!(std::abs(gap - c.gap) <= gap_relative * size + misaligned * model.length_unit))
    return fmt::format("its gap is recorded as {:.9g} m, its joint has {:.9g} m", c.gap, gap);
  return {};
}

std::string geometry_fault(const Model& model, const SchemeOptions& scheme,
                           const std::vector<Pose>& poses, const Contact& c) {
  if (is_limit(c.key)) return limit_fault(model, poses, c);
  if (model.shapes[index(c.key.shape_a)].body != c.key.body_a ||
      model.shapes[index(c.key.shape_b)].body != c.key.body_b || !(c.key.body_a < c.key.body_b))
    return "its key names shapes of other bodies";
  if (!(std::abs(c.n_W.norm() - 1) <= unit_relative)) return "its normal is no unit vector";
  const Solid a(model, c.key.shape_a, poses), b(model, c.key.shape_b, poses);
  const double size = std::max({c.p_WC.norm(), a.size(), b.size()}) + std::abs(c.gap);
  const double tolerance = gap_relative * size;
  const bool flat = a.planar() || b.planar();
  const Vec3 axis = flat ? Vec3((a.planar() ? a : b).X.R * Vec3::UnitZ()) : Vec3::Zero();
  const Witness w = witness_of(c);
  std::string fault;
  if (a.polyhedron && b.polyhedron)
    fault = polyhedra_fault(a, b, scheme, c, tolerance);
  else if (a.halfspace())
    fault = halfspace_fault(a, b, w.a, w.b, c.n_W, number_of(c.key.feature), axis, tolerance);
  else if (b.halfspace())
    fault = halfspace_fault(b, a, w.b, w.a, -c.n_W, number_of(c.key.feature), axis, tolerance);
  else
    fault = surfaces_fault(a, b, c, axis, tolerance);
  return fault.empty() ? frame_fault(model, poses, c) : fault;
}

namespace {

// (E244): the section of the tangent plane with the ellipsoid of friction.
struct Friction {
  double mu = 0, stretch = 1;
};
Friction friction_of(const ContactLaw& law, const std::vector<Pose>& poses, const Contact& c) {
  if (!law.anisotropic()) return {law.friction, 1};
  const BodyId body = law.direction_of == 0 ? c.key.body_a : c.key.body_b;
  const Vec3 f = poses[index(body)].R * law.friction_direction;
  const Vec3 in_plane = f - c.n_W.dot(f) * c.n_W;
  if (law.section) {
    if (c.rows == 3) return {law.friction, 1};
    const Vec3 e = in_plane.norm() > 0 ? Vec3(in_plane.normalized()) : c.t1_W;
    double most = 0, least = 0;
    for (const Corner& corner : *law.section) {
      const double x = corner[0] * c.t1_W.dot(e) + corner[1] * c.t1_W.dot(c.n_W.cross(e));
      most = std::max(most, x);
      least = std::min(least, x);
    }
    return {law.friction * std::min(most, -least), 1};
  }
  const double cosine = in_plane.norm(), sine = c.n_W.dot(f), m1 = law.friction,
               m2 = law.friction_across;
  if (!(cosine > 0)) return {m2, 1};
  const double along = 1 / std::sqrt(cosine * cosine / (m1 * m1) + sine * sine / (m2 * m2));
  if (c.rows == 3) return {along, m2 / along};
  const double x = c.t1_W.dot(in_plane) / cosine, y = c.t2_W.dot(in_plane) / cosine;
  return {std::sqrt(along * along * x * x + m2 * m2 * y * y), 1};
}

}  // namespace

std::string material_fault(const Model& model, const std::vector<Pose>& poses, const Contact& c,
                           bool bouncing) {
  if (is_limit(c.key)) {
    const JointLimits& limits = model.joints[index(limited_joint(c.key))].limits;
    const bool plain = c.friction == 0 && c.rows == 1 && c.torsion == 0 && c.rolling == 0 &&
                       c.restitution_law == RestitutionLaw::newton;
    if (plain && c.restitution == limits.restitution) return {};
    return fmt::format("its restitution is recorded as {:.9g}, the scene says {:.9g}",
                       c.restitution, limits.restitution);
  }
  const ContactLaw law = model.pair(model.shapes[index(c.key.shape_a)].material,
                                    model.shapes[index(c.key.shape_b)].material);
  Friction expected = friction_of(law, poses, c);
  if (bouncing) expected.mu *= law.friction > 0 ? law.bounce_mu() / law.friction : 0;
  if (bouncing && law.friction == 0) expected.mu = law.bounce_mu();
  const auto same = [](double a, double b) { return std::abs(a - b) <= 1e-12 * std::abs(b); };
  if (c.rows == 1 && law.friction == 0) expected.mu = c.friction == 0 ? 0 : expected.mu;
  if (!same(c.friction, expected.mu) || !same(c.stretch, expected.stretch))
    return fmt::format("its friction is recorded as {:.9g}, the scene says {:.9g}", c.friction,
                       expected.mu);
  if (c.restitution != law.restitution || c.restitution_law != law.restitution_law)
    return fmt::format("its restitution is recorded as {:.9g}, the scene says {:.9g}",
                       c.restitution, law.restitution);
  if (c.torsion != law.torsional_friction || c.rolling != law.rolling_friction)
    return fmt::format(
        "its torsional and rolling friction are recorded as {:.9g} and {:.9g} m, the scene says "
        "{:.9g} and {:.9g} m",
        c.torsion, c.rolling, law.torsional_friction, law.rolling_friction);
  return {};
}

}  // namespace cairn::record
