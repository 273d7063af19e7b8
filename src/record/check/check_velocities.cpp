// check, the velocities at the end of a step: from the last solve by the drift, with what a
// projection makes of them.
#include <Eigen/LU>
#include <algorithm>
#include <cmath>
#include <fmt/format.h>

#include "base/index.hpp"
#include "base/union_find.hpp"
#include "record/check/check_parts.hpp"
#include "record/check/rebuild/free_turn.hpp"
#include "record/check/rebuild/mechanics.hpp"

namespace cairn::record {
namespace {

using Purpose = SolveRecord::Purpose;

// Velocities and poses before a projection, as far as the last solve tells.
struct Moved {
  std::vector<Pose> poses;
  VecX v;
};

// What the last solve leads to without a projection.
Moved move_on(const Model& model, const SchemeOptions& scheme, const State& before,
              const TraceFrame& frame) {
  const SolveRecord& last = frame.report.solved().back();
  const bool rule = std::holds_alternative<Trapezoidal>(scheme),
             hybrid = std::holds_alternative<Hybrid>(scheme);
  const bool smooth = last.purpose == Purpose::step || last.purpose == Purpose::limited;
  const bool passes = rule ? smooth && last.taken == last.length && last.length > 0
                           : !hybrid || last.origin.length > 0;
  State solved = frame.state;
  set_solved_velocities(model, last, solved);
  Moved out{frame.state.poses, solved.v};
  if (!passes) return out;
  const SolveOrigin& origin = last.origin;
  const bool own = !origin.start.empty();
  const double h = own ? origin.length : frame.report.h;
  const bool limited = !rule || last.purpose == Purpose::limited;
  std::vector<Vec3> falls(model.bodies.size(), Vec3::Zero());
  if (hybrid) falls = falls_of(model, last.problem, h);
  for (std::size_t n = 0; n < last.problem.bodies.size(); ++n) {
    const ProblemBody& b = last.problem.bodies[n];
    const auto i = static_cast<std::size_t>(b.model_body);
    const Body& body = model.bodies[i];
    if (hybrid && in_flight(model, frame, i)) continue;
    State start = before;
    if (own) {
      start.poses[i] = origin.start[n];
      start.v.segment(body.first_velocity, b.size) = origin.v.segment(b.first, b.size);
    }
    const Twist from = twist(body, start), to = twist(body, solved);
    const Vec3 mean = limited ? to.linear_W : Vec3(0.5 * (from.linear_W + to.linear_W));
    Pose& X = out.poses[i];
    X.p = start.poses[i].p + h * mean + falls[i];
    if (body.rotation == RotationKind::three) {
      const KickedTurn turn =
          kicked_turn(body, start.poses[i].R, from.angular_B, to.angular_B, h, limited);
      X.R = turn.end.R;
      out.v.segment<3>(body.first_velocity + b.size - 3) = turn.end.w;
    } else {
      const Vec3 spin = limited ? to.angular_B : Vec3(0.5 * (from.angular_B + to.angular_B));
      X.R = start.poses[i].R * exp_rotation(h * spin);
    }
  }
  return out;
}

// (E428): a projection turns a body and leaves its spin momentum in the world.
VecX keep_spins(const Model& model, const Moved& moved, const std::vector<Pose>& poses) {
  VecX v = moved.v;
  for (std::size_t i = 0; i < model.bodies.size(); ++i) {
    const Body& body = model.bodies[i];
    if (body.kind != BodyKind::dynamic || body.rotation != RotationKind::three) continue;
    const Mat3 turned =
        poses[i].R.toRotationMatrix().transpose() * moved.poses[i].R.toRotationMatrix();
    const Eigen::Index k = body.first_velocity + model::translation_count(body);
    v.segment<3>(k) =
        body.inertia_B.inverse() * (turned * (body.inertia_B * moved.v.segment<3>(k)));
  }
  return v;
}

// An island that nothing holds.
struct Island {
  std::vector<std::size_t> bodies;
  bool held = false;
  Vec3 center = Vec3::Zero(), velocity = Vec3::Zero();  // after the projection
  Vec3 turn = Vec3::Zero();                             // what keeps the angular momentum
  Vec3 rate = Vec3::Zero();                             // as one rigid body [rad/s]
};

// Contacts connect bodies if they carry an impulse; under the trapezoidal rule (E169) all do.
std::vector<Island> islands_of(const Model& model, const SolveRecord& last, bool rule) {
  base::UnionFind sets;
  sets.reset(model.bodies.size());
  const auto free = [&](BodyId id) {
    return id != BodyId::world && model.body(id).kind == BodyKind::dynamic;
  };
  std::vector<std::array<BodyId, 2>> links;
  for (const Joint& j : model.joints) links.push_back(j.bodies);
  for (const Spring& j : model.springs) links.push_back(j.bodies);
  for (std::size_t i = 0; i < last.problem.constraints.size(); ++i) {
    const ConstraintKey& id = last.problem.constraints[i].key;
    const int first = last.problem.first_row[i], end = last.problem.first_row[i + 1];
    if (is_of_contact(id.role) &&
        (rule || !last.solution.lambda.segment(first, end - first).isZero(0)))
      links.push_back({id.contact.body_a, id.contact.body_b});
  }
  for (const auto& [a, b] : links)
    if (free(a) && free(b)) sets.join(static_cast<int>(a), static_cast<int>(b));
  std::vector<Island> islands(model.bodies.size());
  const auto of = [&](BodyId id) -> Island& {
    return islands[base::at(sets.root(static_cast<int>(id)))];
  };
  for (const auto& [a, b] : links) {
    if (free(a) && !free(b)) of(a).held = true;
    if (free(b) && !free(a)) of(b).held = true;
  }
  for (std::size_t i = 0; i < model.bodies.size(); ++i)
    if (free(static_cast<BodyId>(i))) of(static_cast<BodyId>(i)).bodies.push_back(i);
  return islands;
}

struct Spin {
  Vec3 center = Vec3::Zero(), velocity = Vec3::Zero(), L = Vec3::Zero();
  Mat3 inertia = Mat3::Zero();
};

Spin spin_of(const Model& model, const Island& island, const std::vector<Pose>& poses,
             const VecX& v) {
  Spin out;
  State state;
  state.v = v;
  double mass = 0;
  for (const std::size_t i : island.bodies) {
    const Body& body = model.bodies[i];
    mass += body.mass;
    out.center += body.mass * poses[i].p;
    out.velocity += body.mass * twist(body, state).linear_W;
  }
  out.center /= mass;
  out.velocity /= mass;
  for (const std::size_t i : island.bodies) {
    const Body& body = model.bodies[i];
    const Twist t = twist(body, state);
    const Vec3 r = poses[i].p - out.center;
    out.L += body.mass * r.cross(t.linear_W - out.velocity);
    out.inertia += body.mass * (r.dot(r) * Mat3::Identity() - r * r.transpose());
    if (body.rotation == RotationKind::none) continue;
    const Mat3 R = poses[i].R.toRotationMatrix();
    out.L += R * (body.inertia_B * t.angular_B);
    out.inertia += R * body.inertia_B * R.transpose();
  }
  return out;
}

// (E425). False: its bodies do not all move in space, nor in one plane of the axes.
bool find_turn(const Model& model, const Moved& moved, const std::vector<Pose>& poses,
               const VecX& v, Island& island) {
  bool spatial = true, planar = true;
  std::array<bool, 3> free = model.bodies[island.bodies[0]].translations;
  for (const std::size_t i : island.bodies) {
    const Body& body = model.bodies[i];
    const int count = model::translation_count(body);
    spatial = spatial && count == 3 && body.rotation != RotationKind::one;
    planar =
        planar && count == 2 && body.translations == free && body.rotation != RotationKind::three;
    for (int k = 0; k < 3 && body.rotation == RotationKind::one; ++k)
      planar = planar && (!free[static_cast<std::size_t>(k)] || body.axis_W[k] == 0);
  }
  if (!spatial && !planar) return false;
  const Spin from = spin_of(model, island, moved.poses, moved.v),
             to = spin_of(model, island, poses, v);
  island.center = to.center;
  island.velocity = to.velocity;
  if (planar) {
    const int n = !free[0] ? 0 : !free[1] ? 1 : 2;
    island.turn[n] = (from.L - to.L)[n] / to.inertia(n, n);
    island.rate[n] = from.L[n] / to.inertia(n, n);
    if (!(to.inertia(n, n) > 0)) island.turn[n] = island.rate[n] = 0;
  } else {
    const Eigen::FullPivLU<Mat3> factor(to.inertia);
    island.turn = factor.solve(from.L - to.L);
    island.rate = factor.solve(from.L);
  }
  return true;
}

// (E468): a group that nothing holds pays for its stiff springs by impulses along them. The frame
// does not name these: they are the ones that lead nearest to its velocities, and may only take
// energy. True: there are some.
bool pay_along_springs(const Model& model, const Island& island, const VecX& end, Moved& moved) {
  const auto inside = [&](BodyId id) {
    return std::find(island.bodies.begin(), island.bodies.end(), static_cast<std::size_t>(id)) !=
           island.bodies.end();
  };
  std::vector<VecX> changes, rows;  // velocities by an impulse of 1 N s, and its generalised force
  for (const Spring& spring : model.springs) {
    if (!(spring.rest_length > 0) || !inside(spring.bodies[0]) || !inside(spring.bodies[1]))
      continue;
    std::array<Vec3, 2> p;
    for (std::size_t side = 0; side < 2; ++side)
      p[side] = moved.poses[index(spring.bodies[side])] * spring.anchors[side];
    if (!((p[1] - p[0]).norm() > 0)) continue;
    const Vec3 along = (p[1] - p[0]).normalized();
    VecX row = VecX::Zero(end.size()), change = row;
    for (std::size_t side = 0; side < 2; ++side) {
      const Body& body = model.body(spring.bodies[side]);
      const int n = body.velocities;
      const Row6 j = (side == 0 ? -1 : 1) *
                     point_row_of(body, moved.poses[index(spring.bodies[side])], p[side], along);
      const Eigen::MatrixXd M = mass_of(body).topLeftCorner(n, n);
      row.segment(body.first_velocity, n) += j.head(n);
      change.segment(body.first_velocity, n) += M.ldlt().solve(VecX(j.head(n)));
    }
    rows.push_back(row);
    changes.push_back(change);
  }
  const auto n = static_cast<Eigen::Index>(rows.size());
  if (n == 0) return false;
  Eigen::MatrixXd G(n, n);
  VecX g(n);
  for (Eigen::Index i = 0; i < n; ++i) {
    const VecX& row = rows[static_cast<std::size_t>(i)];
    g[i] = row.dot(end - moved.v);
    for (Eigen::Index k = 0; k < n; ++k) G(i, k) = row.dot(changes[static_cast<std::size_t>(k)]);
  }
  const VecX impulses = Eigen::FullPivLU<Eigen::MatrixXd>(G).solve(g);
  VecX paid = moved.v;
  double gain = 0;
  for (Eigen::Index i = 0; i < n; ++i) {
    const auto at = static_cast<std::size_t>(i);
    gain += impulses[i] * rows[at].dot(0.5 * (moved.v + end));
    paid += impulses[i] * changes[at];
  }
  if (gain < 0) moved.v = paid;
  return gain < 0;
}

bool on_springs(const Model& model, const Island& island) {
  return std::any_of(model.springs.begin(), model.springs.end(), [&](const Spring& spring) {
    return std::any_of(island.bodies.begin(), island.bodies.end(),
                       [&](std::size_t i) { return spring.bodies[0] == static_cast<BodyId>(i); });
  });
}

// A joint holds one of the island's bodies.
bool on_joints(const Model& model, const Island& island) {
  return std::any_of(model.joints.begin(), model.joints.end(), [&](const Joint& joint) {
    return std::any_of(island.bodies.begin(), island.bodies.end(), [&](std::size_t i) {
      return joint.bodies[0] == static_cast<BodyId>(i) || joint.bodies[1] == static_cast<BodyId>(i);
    });
  });
}

// The projection left the island where the last solve led, to the rounding of its poses.
bool stays(const Model& model, const Island& island, const std::vector<Pose>& moved,
           const std::vector<Pose>& end) {
  constexpr double rounding = 1e-12;
  return std::all_of(island.bodies.begin(), island.bodies.end(), [&](std::size_t i) {
    const Quat turn = moved[i].R.conjugate() * end[i].R;
    return (moved[i].p - end[i].p).norm() <= rounding * (model.length_unit + end[i].p.norm()) &&
           turn.vec().norm() <= rounding;
  });
}

}  // namespace

void check_velocities(const Model& model, const SchemeOptions& scheme, const State& before,
                      const TraceFrame& frame, const Complain& complain) {
  if (frame.report.solves.empty()) return;
  const SolveRecord& last = frame.report.solved().back();
  Moved moved = move_on(model, scheme, before, frame);
  const bool rule = std::holds_alternative<Trapezoidal>(scheme);
  const bool projected = frame.report.projection > 0 || frame.report.projection_angle > 0;
  std::vector<Island> islands = islands_of(model, last, rule);
  VecX size = VecX::Zero(moved.v.size());
  for (const Island& island : islands) {
    if (rule || island.held || island.bodies.size() < 2 || on_joints(model, island)) continue;
    if (projected && !stays(model, island, moved.poses, frame.state.poses)) continue;
    if (!pay_along_springs(model, island, frame.state.v, moved)) continue;
    for (const std::size_t i : island.bodies) {  // rounds with the size of all components
      auto v = size.segment(model.bodies[i].first_velocity, model.bodies[i].velocities);
      v.array() += moved.v.segment(model.bodies[i].first_velocity, v.size()).norm();
    }
  }
  // What pays for the projection may have slowed the body by up to the factor that the frame names;
  // what it put in, scheme trapezoidal returns.
  const double slowest = frame.report.projection_slowing, fastest = rule ? 2 - slowest : 1;
  const VecX kept = projected && !rule ? keep_spins(model, moved, frame.state.poses) : moved.v;
  VecX least = kept, most = kept;
  const auto range = [&](Eigen::Index k, double rigid, double own) {
    const double a = rigid + slowest * own, b = rigid + fastest * own;
    least[k] = std::min(a, b);
    most[k] = std::max(a, b);
  };
  for (Eigen::Index k = 0; k < moved.v.size(); ++k) range(k, 0, kept[k]);
  if (slowest < 1 && !rule) {
    // (E322): relative to what the body follows; u is known to the accuracy of a factorisation.
    const VecX lo = least, hi = most;
    for (const VecX& u : carried_velocities(model, scheme, before, frame))
      for (Eigen::Index k = 0; k < u.size(); ++k) {
        if (u[k] == 0) continue;
        range(k, u[k], kept[k] - u[k]);
        least[k] = std::min(least[k], lo[k]);
        most[k] = std::max(most[k], hi[k]);
        size[k] += 1e3 * (1 - slowest) * u.norm();
      }
  }
  for (Island& island : islands) {
    const bool springs = slowest < 1 && on_springs(model, island) &&
                         (rule || on_joints(model, island));  // (E642, E744)
    if (island.bodies.empty() || island.held || !(projected || springs)) continue;
    if (!find_turn(model, moved, frame.state.poses, kept, island)) continue;
    for (const std::size_t i : island.bodies) {
      const Body& body = model.bodies[i];
      const Pose& X = frame.state.poses[i];
      const Vec3 r = X.p - island.center, rigid = island.velocity + island.rate.cross(r),
                 added = island.turn.cross(r);
      const double far = 1e-2 * X.p.norm() / std::max(r.norm(), body.radius);
      const double speed = rigid.norm() + island.rate.norm() * r.norm();
      Eigen::Index k = body.first_velocity;
      for (int axis = 0; axis < 3; ++axis) {
        if (!body.translations[static_cast<std::size_t>(axis)]) continue;
        range(k, rigid[axis], kept[k] + added[axis] - rigid[axis]);
        size[k++] += speed * (1 + (std::isfinite(far) ? far : 0));
      }
      if (body.rotation == RotationKind::one) {
        const double own = body.axis_W.dot(island.rate);
        range(k, own, kept[k] + body.axis_W.dot(island.turn) - own);
        size[k] += island.rate.norm() * (1 + (std::isfinite(far) ? far : 0));
      } else if (body.rotation == RotationKind::three) {
        const Vec3 own = X.R.conjugate() * island.rate, turn = X.R.conjugate() * island.turn;
        for (int n = 0; n < 3; ++n) range(k + n, own[n], kept[k + n] + turn[n] - own[n]);
        size.segment<3>(k).array() += island.rate.norm() * (1 + (std::isfinite(far) ? far : 0));
      }
    }
  }
  for (const ProblemBody& b : last.problem.bodies) {
    const Body& body = model.bodies[static_cast<std::size_t>(b.model_body)];
    const int translations = model::translation_count(body);
    // All components round with the speed of the body's points, at both ends of the step; bodies
    // without shapes are as large as their radius of gyration.
    const Eigen::Index spins = body.first_velocity + translations;
    const double gyration = std::sqrt(body.inertia_B.diagonal().maxCoeff() / body.mass),
                 radius = body.radius > 0 ? body.radius : gyration;
    double speed = 0;
    for (const VecX* v : {&frame.state.v, &before.v})
      speed += v->segment(body.first_velocity, translations).norm() +
               radius * v->segment(spins, b.size - translations).norm();
    for (int i = 0; i < b.size; ++i) {
      const Eigen::Index k = body.first_velocity + i;
      const double state = frame.state.v[k], nearest = std::clamp(state, least[k], most[k]);
      const double points = i < translations ? speed : spin_rounding(body) * (speed / radius);
      const double scale = std::max(std::abs(nearest), std::abs(state)) +
                           (std::isfinite(points) ? points : 0) + size[k];
      // Velocities that vanish are zero (E872).
      if (state == 0 && std::abs(nearest) <= 0x1p-399 * last.problem.units.speed()) continue;
      if (!(std::abs(nearest - state) <= motion_relative * scale))
        complain(FindingCode::velocity,
                 fmt::format("velocity {} of {} is {:.17g}, the last solve gave {:.17g}", i,
                             body.name, state, moved.v[k]));
    }
  }
}

std::vector<Vec3> falls_of(const Model& model, const Problem& problem, double h) {
  base::UnionFind sets;
  sets.reset(model.bodies.size());
  std::vector<std::array<BodyId, 2>> links;
  for (const Joint& j : model.joints) links.push_back(j.bodies);
  for (const Spring& j : model.springs) links.push_back(j.bodies);
  for (const Constraint& c : problem.constraints)
    if (is_of_contact(c.key.role)) links.push_back({c.key.contact.body_a, c.key.contact.body_b});
  const auto free = [&](BodyId id) {
    return id != BodyId::world && model.body(id).kind == BodyKind::dynamic;
  };
  for (const auto& [a, b] : links)
    if (free(a) && free(b)) sets.join(static_cast<int>(a), static_cast<int>(b));
  std::vector<char> stays(model.bodies.size(), 0);
  const auto root = [&](std::size_t i) { return base::at(sets.root(static_cast<int>(i))); };
  for (const auto& [a, b] : links) {
    if (free(a) && !free(b)) stays[root(index(a))] = 1;
    if (free(b) && !free(a)) stays[root(index(b))] = 1;
  }
  for (std::size_t i = 0; i < model.bodies.size(); ++i)
    if (model.bodies[i].translations != model.bodies[root(i)].translations) stays[root(i)] = 1;
  // A group of bodies that takes the step by itself leaves the others where they are.
  std::vector<Vec3> out(model.bodies.size(), Vec3::Zero());
  for (const ProblemBody& b : problem.bodies) {
    const auto i = static_cast<std::size_t>(b.model_body);
    for (int axis = 0; axis < 3; ++axis)
      if (!stays[root(i)] && model.bodies[i].translations[static_cast<std::size_t>(axis)])
        out[i][axis] = -0.5 * h * h * model.gravity[axis];
  }
  return out;
}

// Scheme hybrid: nothing but gravity acts on the body, which moves on a parabola (E208).
bool in_flight(const Model& model, const TraceFrame& frame, std::size_t body) {
  if (model.bodies[body].kind != BodyKind::dynamic) return false;
  const auto id = static_cast<BodyId>(body);
  for (const Joint& joint : model.joints)
    if (joint.bodies[0] == id || joint.bodies[1] == id) return false;
  for (const Spring& spring : model.springs)
    if (spring.bodies[0] == id || spring.bodies[1] == id) return false;
  for (const AppliedForce& force : model.applied_forces)
    if (force.body == id) return false;
  const Problem& problem = frame.report.solved().back().problem;
  return std::none_of(problem.constraints.begin(), problem.constraints.end(),
                      [&](const Constraint& c) {
                        return std::any_of(c.body.begin(), c.body.end(), [&](int i) {
                          return i >= 0 && problem.bodies[static_cast<std::size_t>(i)].model_body ==
                                               static_cast<std::int32_t>(body);
                        });
                      });
}

}  // namespace cairn::record
