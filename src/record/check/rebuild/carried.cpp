// Motion of prescribed bodies in the rows of contacts, and what anchors of the state change about
// it (E440, E600, E601). Shares nothing with the engine.
#include <algorithm>
#include <cmath>
#include <limits>

#include "base/index.hpp"
#include "base/union_find.hpp"
#include "record/check/rebuild/mechanics.hpp"
#include "record/check/rebuild/rows.hpp"

namespace cairn::record {
namespace {

constexpr double most_screw_turn = 0.25;  // beyond which chords are used (E600) [rad]

// A velocity that is a difference of positions over h rounds with these: a few roundings of both,
// beside `row_relative`, in which differences of b are measured [-].
constexpr double position_share = 8 * std::numeric_limits<double>::epsilon() / row_relative;

bool is_free(const Model& model, BodyId id) {
  return id != BodyId::world && model.body(id).kind == BodyKind::dynamic;
}

// Anchors at the beginning of a part are not recorded.
bool is_part(const Segment& s) {
  return s.share() < 1 || (std::holds_alternative<Hybrid>(s.scheme) && s.report.solves.size() != 1);
}

// The twist in the frame of the contact: all of it by the screw motion.
Vec3 screw_motion(const Model& model, const Contact& c, const std::vector<Pose>& poses,
                  const std::vector<Pose>& other, double h) {
  if (c.lever > 0) return turning_motion(model, c, poses, other, h);
  Vec3 u = Vec3::Zero();
  for (const auto& [id, sign] : {std::pair{c.key.body_a, -1.0}, std::pair{c.key.body_b, 1.0}})
    if (model.body(id).kind == BodyKind::prescribed) {
      if (h * mean_spin(poses[index(id)], other[index(id)], h).norm() > most_screw_turn)
        return carried_motion(model, c, poses, other, h);
      u += sign * screw_velocity_of(poses[index(id)], other[index(id)], c.p_WC, h);
    }
  return {c.n_W.dot(u), c.t1_W.dot(u), c.stretch * c.t2_W.dot(u)};
}

}  // namespace

bool projects(const Segment& s) {
  if (const Euler* euler = euler_options(s.scheme)) return euler->projection;
  const auto* hybrid = std::get_if<Hybrid>(&s.scheme);
  return hybrid && hybrid->projection;
}

// The anchor must be one of `on`, if that is a body.
static Known ride(const Segment& s, BodyId a, BodyId b, BodyId on) {
  if (!projects(s)) return Known::no;
  if (is_part(s)) return Known::unclear;
  base::UnionFind groups;
  groups.reset(s.model.bodies.size());
  const auto root = [&](BodyId id) { return groups.root(static_cast<int>(id)); };
  const auto join = [&](BodyId i, BodyId j) {
    if (is_free(s.model, i) && is_free(s.model, j))
      groups.join(static_cast<int>(i), static_cast<int>(j));
  };
  for (const ContactAnchor& x : s.start.contact_anchors) join(x.key.body_a, x.key.body_b);
  for (const ImpulseMemory& m : of_role(s.start.impulses, Role::contact))
    join(m.key.contact.body_a, m.key.contact.body_b);
  for (const Joint& joint : s.model.joints) join(joint.bodies[0], joint.bodies[1]);
  for (const ContactAnchor& x : s.start.contact_anchors) {
    if (on != BodyId::world && x.key.body_a != on && x.key.body_b != on) continue;
    for (const BodyId held : {x.key.body_a, x.key.body_b})
      for (const BodyId id : {a, b})
        if (is_free(s.model, held) && is_free(s.model, id) && root(held) == root(id))
          return Known::yes;
  }
  return Known::no;
}

Known ride(const Segment& s, BodyId a, BodyId b) {
  return ride(s, a, b, BodyId::world);
}

Known ride_on(const Segment& s, BodyId a, BodyId b) {
  for (const BodyId id : {a, b})
    if (s.model.body(id).kind == BodyKind::prescribed) return ride(s, a, b, id);
  return Known::no;
}

// The displacement of a point is the mean of the rotations of the step times its way: a linear
// system of three equations.
Vec3 screw_velocity_of(const Pose& X, const Pose& X_end, const Vec3& point, double h) {
  const Vec3 mean = mean_velocity(X, X_end, point, h), r = h * mean_spin(X, X_end, h);
  const double angle = r.norm();
  if (!(angle > 0) || angle > most_screw_turn) return mean;
  Eigen::Matrix3d cross;
  cross << 0, -r[2], r[1], r[2], 0, -r[0], -r[1], r[0], 0;
  const double half = std::sin(angle / 2) / angle;
  // (angle - sin angle)/angle^3 by its series: at most a quarter of a radian, below 1e-19.
  const double q = angle * angle;
  double term = 1.0 / 6, rest = 0;
  for (int k = 2; k < 16; k += 2) {
    rest += term;
    term *= -q / ((k + 2) * (k + 3));
  }
  const Eigen::Matrix3d V =
      Eigen::Matrix3d::Identity() + 2 * half * half * cross + rest * cross * cross;
  return V.inverse() * mean;
}

Vec3 contact_motion_apart(const Segment& s, const Contact& c, const std::vector<Pose>& poses,
                          const std::vector<Pose>& other, double h) {
  const Vec3 chord = carried_motion(s.model, c, poses, other, h);
  if (!projects(s)) return chord;
  Vec3 motion = screw_motion(s.model, c, poses, other, h);
  motion[0] = chord[0];
  return motion;
}

Vec3 contact_motion_held(const Segment& s, const Contact& c, const std::vector<Pose>& poses,
                         const std::vector<Pose>& other, double h) {
  return screw_motion(s.model, c, poses, other, h);
}

std::vector<bool> ways_of_riding(const Segment& s, const Contact& c) {
  const Known rides = projects(s) ? ride_on(s, c.key.body_a, c.key.body_b) : Known::no;
  if (rides == Known::unclear) return {false, true};
  return {rides == Known::yes};
}

double motion_size(const Model& model, const Contact& c, const std::vector<Pose>& poses,
                   const Vec3& motion, double h) {
  double size = motion.norm();
  for (const BodyId id : {c.key.body_a, c.key.body_b})
    if (model.body(id).kind == BodyKind::prescribed)
      size += position_share * (poses[index(id)].p.norm() + c.p_WC.norm()) / h;
  return size;
}

Vec3 contact_motion_with(const Segment& s, const Contact& c, const std::vector<Pose>& poses,
                         const std::vector<Pose>& other, double h, double recorded) {
  const std::vector<bool> ways = ways_of_riding(s, c);
  const Vec3 apart = contact_motion_apart(s, c, poses, other, h);
  if (!ways.back()) return apart;
  const Vec3 held = contact_motion_held(s, c, poses, other, h);
  if (ways.front()) return held;
  return std::abs(recorded - held[0]) < std::abs(recorded - apart[0]) ? held : apart;
}

}  // namespace cairn::record
