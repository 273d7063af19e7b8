// check, rebuilding problems (E383): the balance of the trapezoidal rule.
#include <algorithm>
#include <cmath>

#include "base/union_find.hpp"
#include "record/check/rebuild/balance.hpp"
#include "record/check/rebuild/rows.hpp"

namespace cairn::record {
namespace {

struct Anchor {
  Vec3 p = Vec3::Zero(), u = Vec3::Zero(), arm = Vec3::Zero(), w = Vec3::Zero();
  bool by_hand = false;
};

struct Rule {
  const Segment& s;
  const Place& place;
  double h;
  bool damp_stiff;
  std::vector<Pose> middle;  // after half of the drift, with half of what gravity adds (E460)
  VecX v_middle;             // after half of the drift
  std::vector<Pose> led;     // where `at` leads
  std::vector<Pose> closed;  // the same with joints closed; empty: springs do not end there (E746)
  const VecX& at;            // velocities of the linearisation
  bool followed;             // they are those of the solution
  Balance& out;

  Anchor anchor(BodyId id, const Vec3& point, bool late) const {
    Anchor a;
    if (id == BodyId::world) {
      a.p = point;
      return a;
    }
    const Body& body = s.model.body(id);
    const Pose& X = place.start[index(id)];
    a.arm = X.R * point;
    a.p = X.p + a.arm;
    if (body.kind == BodyKind::prescribed) {
      const Vec3 end = prescribed_at(body, place.t + h) * point;
      a.u = (end - a.p) / h;
      a.by_hand = true;
      if (late) a.p = end;
      return a;
    }
    const Row6 v = velocities_of_body(body, place.v);
    for (int axis = 0; axis < 3; ++axis)
      a.u[axis] = point_row_of(body, X, a.p, Vec3::Unit(axis)).dot(v);
    for (int axis = 0; axis < 3; ++axis) a.w[axis] = turn_row_of(body, X, Vec3::Unit(axis)).dot(v);
    return a;
  }

  void add(BodyId id, const Vec3& force, const Vec3& torque, VecX& sum) const {
    if (id == BodyId::world) return;
    const Body& body = s.model.body(id);
    const Row6 row = generalised(body, place.start[index(id)], force, torque);
    for (int k = 0; k < body.velocities; ++k) sum[body.first_velocity + k] += row[k];
  }

  // Force F at an anchor and its change dF with the motion; torques are seen in the body (E162).
  void add_at(BodyId id, const Anchor& a, const Vec3& F, const Vec3& dF, double weight, double rate,
              VecX& sum) const {
    const Vec3 torque = a.arm.cross(F);
    const Vec3 change = a.w.cross(a.arm).cross(F) + a.arm.cross(dF) - a.w.cross(torque);
    add(id, weight * F + rate * dF, weight * torque + rate * change, sum);
  }

  ElementRow row_along(const Spring& spring, const std::vector<Pose>& poses,
                       const std::array<Vec3, 2>& points, const Vec3& along) const {
    ElementRow row;
    row.bodies = spring.bodies;
    for (std::size_t side = 0; side < 2; ++side)
      if (spring.bodies[side] != BodyId::world)
        row.j[side] = (side == 0 ? -1 : 1) * point_row_of(s.model.body(spring.bodies[side]),
                                                          poses[index(spring.bodies[side])],
                                                          points[side], along);
    return row;
  }

  double inverse(const ElementRow& row) const {
    double sum = 0;
    for (std::size_t side = 0; side < 2; ++side) {
      if (row.bodies[side] == BodyId::world) continue;
      const Body& body = s.model.body(row.bodies[side]);
      if (body.velocities == 0) continue;
      const Eigen::MatrixXd M = mass_of(body).topLeftCorner(body.velocities, body.velocities);
      const VecX j = row.j[side].head(body.velocities);
      sum += j.dot(M.ldlt().solve(j));
    }
    return sum;
  }

  void push(const ElementRow& row, double impulse, VecX& sum) const {
    for (std::size_t side = 0; side < 2; ++side) {
      if (row.bodies[side] == BodyId::world) continue;
      const Body& body = s.model.body(row.bodies[side]);
      for (int k = 0; k < body.velocities; ++k)
        sum[body.first_velocity + k] += impulse * row.j[side][k];
    }
  }

  void add_elastic(ElementRow row, double stiffness, double rate) const {
    row.elastic = h * h / 4 * stiffness;
    if (damp_stiff) {  // (E178)
      const double x = h * h * stiffness * inverse(row), share = x * x / (16 + x * x);
      row.elastic = h * h * stiffness * (0.25 + 0.75 * share);
      push(row, -share * h * h * stiffness * rate, out.potential);
    }
    if (row.elastic > 0) out.springs.push_back(row);
  }

  std::array<Vec3, 2> ends(const Spring& spring, const std::vector<Pose>& poses) const {
    std::array<Vec3, 2> p;
    for (std::size_t side = 0; side < 2; ++side) {
      const BodyId id = spring.bodies[side];
      p[side] =
          id == BodyId::world ? spring.anchors[side] : poses[index(id)] * spring.anchors[side];
    }
    return p;
  }

  // (E745): joints connect the two bodies; what cannot move is one with the world.
  bool joined(const Spring& spring) const {
    const auto number = [&](BodyId id) {
      const bool moves = id != BodyId::world && s.model.body(id).velocities > 0;
      return moves ? static_cast<int>(id) : static_cast<int>(s.model.bodies.size());
    };
    base::UnionFind sets;
    sets.reset(s.model.bodies.size() + 1);
    for (const Joint& joint : s.model.joints)
      sets.join(number(joint.bodies[0]), number(joint.bodies[1]));
    return sets.root(number(spring.bodies[0])) == sets.root(number(spring.bodies[1]));
  }

  // (E460, E641): change of the length over the shift that does the work, next to that of points;
  // `least`: a change that counts where joints may forbid any (E745).
  static double quotient_of(const Vec3& before, const Vec3& after, double shift, double least) {
    const double lengths = before.norm() + after.norm(), points = (before + after).norm() / lengths;
    const double works = points * shift,
                 misses = (after - before).dot(after + before) / lengths - works;
    const double squares = works * works + 64 * misses * misses + least * least;
    return squares > 0 ? points * (1 + misses * works / squares) : points;
  }

  // A spring with its damper, or a damper alone, along its direction in the middle (E460 to E464),
  // linearised where the velocities `at` lead. False: it has no such row.
  bool add_middle(const Spring& spring, bool elastic) const {
    const std::array<Vec3, 2> p = ends(spring, middle), p0 = ends(spring, place.start),
                              p1 = ends(spring, elastic && !closed.empty() &&
                                                        beside_joints(s.model, spring.bodies)
                                                    ? closed
                                                    : led);
    const Vec3 half = p[1] - p[0], before = p0[1] - p0[0], after = p1[1] - p1[0];
    if (!(half.norm() > 0)) return false;
    const Vec3 along = half.normalized();
    if (elastic && !(spring.rest_length > 0 && spring.stiffness > 0 &&
                     2 * half.norm() >= before.norm() && 2 * along.dot(before) >= before.norm()))
      return false;
    if (!elastic && !(spring.damping > 0)) return true;
    ElementRow row = row_along(spring, middle, p, along);
    Vec3 moved = Vec3::Zero();
    for (std::size_t side = 0; side < 2; ++side)
      if (const BodyId id = spring.bodies[side];
          id != BodyId::world && s.model.body(id).kind == BodyKind::prescribed)
        moved += (side == 0 ? -1 : 1) * (p1[side] - p0[side]);
    row.motion = along.dot(moved) / h;
    row.damping = spring.damping;
    row.elastic_law = elastic;
    const double mass = 1 / inverse(row), z = h * spring.damping / mass;
    const double drag = h * spring.damping * (damp_stiff ? (1 + z) / (2 + z) : 0.5);
    const double unit = elastic ? h * h * spring.stiffness : 0, x = unit / mass;
    const double share = damp_stiff ? x * x / (16 + x * x) : 0;
    const double weight = unit * (0.25 + 0.75 * share) + drag;
    const double first = row.rate(s.model, v_middle) + row.motion,
                 rate = row.rate(s.model, at) + row.motion;
    row.drag_rate = elastic ? (after.norm() - before.norm()) / h : 0.5 * (first + rate);
    row.law = h * spring.damping * first + 2 * drag * (row.drag_rate - first);
    const double stretch = 0.5 * (before.norm() + after.norm()) - spring.rest_length;
    if (elastic)
      row.law +=
          h * spring.stiffness * stretch *
              quotient_of(before, after, 0.5 * h * (first + rate), joined(spring) ? stretch : 0) +
          share * unit * (0.75 * rate + 0.25 * first);
    row.elastic = std::min(weight, 1024 * mass);
    const double base = followed ? row.law : weight > 0 ? row.elastic / weight * row.law : 0;
    push(row, -(base + row.elastic * (first - rate)), out.potential);
    out.dampers.push_back(row);
    return true;
  }

  void add_spring(const Spring& spring, bool late) const {
    const Anchor a = anchor(spring.bodies[0], spring.anchors[0], late),
                 b = anchor(spring.bodies[1], spring.anchors[1], late);
    const Vec3 d = b.p - a.p, rate = b.u - a.u;
    const double distance = d.norm();
    if (distance == 0 && spring.rest_length > 0) return;
    const Vec3 along = distance > 0 ? Vec3(d / distance) : Vec3::UnitX();
    const double opening = along.dot(rate), stretch = distance - spring.rest_length,
                 k = spring.stiffness;
    const Vec3 turning = distance > 0 ? Vec3((rate - opening * along) / distance) : Vec3::Zero();
    const Vec3 F = k * stretch * along;
    const Vec3 dF =
        spring.rest_length == 0 ? Vec3(k * rate) : Vec3(k * (opening * along + stretch * turning));
    const double weight = h / 2, slope = late ? h * h / 2 : 0;
    add_at(spring.bodies[0], a, F, dF, weight, slope, out.potential);
    add_at(spring.bodies[1], b, -F, -dF, weight, slope, out.potential);
    const Vec3 impulse = weight * F + slope * dF;
    if (a.by_hand) out.work_motion -= impulse.dot(a.u);
    if (b.by_hand) out.work_motion += impulse.dot(b.u);
    if (!late) return;
    add_elastic(row_along(spring, place.start, {a.p, b.p}, along), k, opening);
    add_middle(spring, false);
    const double across = distance > 0 ? k * stretch / distance : k;
    if (!(across > 0)) return;
    const Tangents t = tangents(along);
    for (const Vec3& e : {t.t1, t.t2})
      add_elastic(row_along(spring, place.start, {a.p, b.p}, e), across, e.dot(rate));
  }
};

void add_block(const Place& place, const ElementRow& row, Balance& out) {
  std::array<int, 2> at = {-1, -1};
  for (std::size_t side = 0; side < 2; ++side)
    if (row.bodies[side] != BodyId::world) at[side] = place.layout[index(row.bodies[side])];
  for (std::size_t i = 0; i < 2; ++i)
    for (std::size_t j = 0; j < 2; ++j) {
      if (at[i] < 0 || at[j] < 0 || (i != j && at[0] == at[1])) continue;
      const Block6 block = row.weight() * row.j[i] * row.j[j].transpose();
      if (i == j)
        out.A[static_cast<std::size_t>(at[i])] += block;
      else
        out.couplings.try_emplace({at[i], at[j]}, Block6::Zero()).first->second += block;
    }
}

}  // namespace

Balance trapezoidal_balance(const Segment& s, const Place& place, const Problem& problem,
                            bool damp_stiff, bool limited, const VecX* v_end) {
  Balance out = instant_balance(s, place, problem);
  const double h = place.length;
  const Model& model = s.model;
  Continuation middle = led_freely(s, place, place.v, h / 2);
  out.v_half = limited ? place.v : middle.v;
  for (std::size_t i = 0; i < middle.poses.size(); ++i)
    for (std::size_t axis = 0; axis < 3; ++axis)
      if (place.layout[i] >= 0 && model.bodies[i].translations[axis])
        middle.poses[i].p[static_cast<Eigen::Index>(axis)] +=
            h * h / 4 * model.gravity[static_cast<Eigen::Index>(axis)];
  const std::vector<Pose> led =
      v_end ? led_by_rule(s, place, *v_end, limited).poses : led_poses(s, place, place.v, h);
  const auto* options = std::get_if<Trapezoidal>(&s.scheme);
  const bool closes =
      v_end && options && options->projection &&
      std::any_of(model.springs.begin(), model.springs.end(),
                  [&](const Spring& spring) { return beside_joints(model, spring.bodies); });
  const Rule rule{s,
                  place,
                  h,
                  damp_stiff,
                  middle.poses,
                  middle.v,
                  led,
                  closes ? closed_poses(s, place, led) : std::vector<Pose>(),
                  v_end ? *v_end : middle.v,
                  v_end != nullptr,
                  out};
  for (std::size_t i = 0; i < model.bodies.size(); ++i) {
    const Body& body = model.bodies[i];
    if (body.velocities == 0) continue;
    rule.add(static_cast<BodyId>(i), h * body.mass * model.gravity, Vec3::Zero(), out.potential);
  }
  const auto inside = [&](std::span<const BodyId> ids) {
    for (const BodyId id : ids)
      if (id != BodyId::world && model.body(id).velocities > 0 && place.layout[index(id)] < 0)
        return false;
    return true;
  };
  std::vector<bool> whole;
  for (const bool late : {false, true}) {
    if (!late) whole.assign(model.springs.size(), false);
    for (std::size_t i = 0; i < model.springs.size(); ++i) {
      const Spring& spring = model.springs[i];
      if (!inside(spring.bodies)) continue;
      if (!late) whole[i] = rule.add_middle(spring, true);
      if (!whole[i]) rule.add_spring(spring, late);
    }
    for (const AppliedForce& f : model.applied_forces) {
      const double t = late ? place.t + h : place.t, weight = h / 2, slope = late ? h * h / 2 : 0;
      const Anchor a = rule.anchor(f.body, f.point, late);
      // Just after the beginning of the part, just before its end (E660).
      const auto beside = [&](const std::array<TimeFunction, 3>& g) {
        const auto side = late ? TimeFunction::Side::left : TimeFunction::Side::right;
        const auto one = [&](const TimeFunction& c) {
          return c.has_kinks() ? c.limit(t, side, 0x1p-20 * h).value : c(t);
        };
        return Vec3(one(g[0]), one(g[1]), one(g[2]));
      };
      const Vec3 force = beside(f.force), torque = beside(f.torque);
      rule.add_at(f.body, a, force, Vec3::Zero(), weight, slope, out.applied);
      rule.add(f.body, Vec3::Zero(), weight * torque - slope * a.w.cross(torque), out.applied);
    }
  }
  for (const ElementRow& row : out.springs) add_block(place, row, out);
  for (const ElementRow& row : out.dampers) add_block(place, row, out);
  // k = A v + impulses.
  const VecX impulses = out.potential + out.applied;
  VecX terms = out.potential.cwiseAbs() + out.applied.cwiseAbs();
  for (const Spring& spring : model.springs)
    for (const BodyId id : spring.bodies)
      if (id != BodyId::world && model.body(id).velocities > 0) {
        const Body& body = model.body(id);
        const double far = place.start[index(id)].p.norm() + model.length_unit;
        for (int k = 0; k < body.velocities; ++k)
          terms[body.first_velocity + k] +=
              (h * spring.stiffness + spring.damping) * far * (k < translations_of(body) ? 1 : far);
      }
  const auto velocity = [&](int i) {
    return velocities_of_body(model.bodies[static_cast<std::size_t>(
                                  problem.bodies[static_cast<std::size_t>(i)].model_body)],
                              out.v_half);
  };
  for (std::size_t i = 0; i < problem.bodies.size(); ++i) {
    const Body& body = model.bodies[static_cast<std::size_t>(problem.bodies[i].model_body)];
    const Row6 v = velocity(static_cast<int>(i));
    out.k[i] = out.A[i] * v;
    out.size[i] = out.A[i].cwiseAbs() * v.cwiseAbs();
    for (int k = 0; k < body.velocities; ++k) {
      out.k[i][k] += impulses[body.first_velocity + k];
      out.size[i][k] += terms[body.first_velocity + k];
    }
  }
  for (const auto& [at, block] : out.couplings) {
    out.k[static_cast<std::size_t>(at.first)] += block * velocity(at.second);
    out.size[static_cast<std::size_t>(at.first)] +=
        block.cwiseAbs() * velocity(at.second).cwiseAbs();
  }
  return out;
}

}  // namespace cairn::record
