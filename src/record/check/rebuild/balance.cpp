#include "record/check/rebuild/balance.hpp"

#include <Eigen/Cholesky>
#include <Eigen/LU>
#include <algorithm>
#include <cmath>
#include <fmt/format.h>

#include "record/check/rebuild/rows.hpp"

namespace cairn::record {
namespace {

constexpr int most_coupled = 300;  // velocities of bodies on springs that are solved for

Vec3 at_time(const std::array<TimeFunction, 3>& f, double t) {
  return {f[0](t), f[1](t), f[2](t)};
}

int angular_at(const Body& body) {
  return body.rotation == RotationKind::three ? body.velocities - 3 : -1;
}

void start_balance(const Segment& s, const Problem& problem, Balance& out) {
  const auto n = static_cast<Eigen::Index>(s.model.velocities);
  for (const ProblemBody& b : problem.bodies)
    out.A.push_back(mass_of(s.model.bodies[static_cast<std::size_t>(b.model_body)]));
  out.k.assign(problem.bodies.size(), Row6::Zero());
  out.size.assign(problem.bodies.size(), Row6::Zero());
  out.potential.setZero(n);
  out.applied.setZero(n);
  out.gyroscopic.setZero(n);
}

void add_to(const Body& body, const Row6& row, VecX& sum) {
  for (int k = 0; k < body.velocities; ++k) sum[body.first_velocity + k] += row[k];
}

// Gravity and forces given in time, as impulses over h.
void add_loads(const Segment& s, const std::vector<Pose>& poses, double t, double h, Balance& out) {
  for (std::size_t i = 0; i < s.model.bodies.size(); ++i)
    add_to(s.model.bodies[i],
           generalised(s.model.bodies[i], poses[i], h * s.model.bodies[i].mass * s.model.gravity,
                       Vec3::Zero()),
           out.potential);
  for (const AppliedForce& a : s.model.applied_forces) {
    const Pose& X = poses[index(a.body)];
    const Vec3 force = at_time(a.force, t);
    const Vec3 torque = at_time(a.torque, t) + (X.R * a.point).cross(force);
    add_to(s.model.body(a.body), generalised(s.model.body(a.body), X, h * force, h * torque),
           out.applied);
  }
}

// Inverse of the mass that a row acts on.
double inverse_mass_of(const Model& model, const ElementRow& row) {
  double sum = 0;
  for (std::size_t side = 0; side < 2; ++side) {
    if (row.bodies[side] == BodyId::world) continue;
    const Body& body = model.body(row.bodies[side]);
    if (body.velocities == 0) continue;
    const int n = body.velocities;
    const Eigen::MatrixXd M = mass_of(body).topLeftCorner(n, n);
    const VecX j = row.j[side].head(n);
    sum += j.dot(M.ldlt().solve(j));
  }
  return sum;
}

ElementRow element_row(const Model& model, const std::vector<Pose>& poses, const Spring& spring,
                       const std::array<Vec3, 2>& points, const Vec3& along) {
  ElementRow row;
  row.bodies = spring.bodies;
  for (std::size_t side = 0; side < 2; ++side)
    if (spring.bodies[side] != BodyId::world)
      row.j[side] = (side == 0 ? -1 : 1) * point_row_of(model.body(spring.bodies[side]),
                                                        poses[index(spring.bodies[side])],
                                                        points[side], along);
  return row;
}

// (E741): the two bodies are one, or a rod is between the ends of the spring.
bool is_held(const Model& model, const Spring& spring) {
  return std::any_of(model.joints.begin(), model.joints.end(), [&](const Joint& joint) {
    const bool same = joint.bodies == spring.bodies,
               other = joint.bodies[0] == spring.bodies[1] && joint.bodies[1] == spring.bodies[0];
    if (!same && !other) return false;
    if (std::holds_alternative<FixedJoint>(joint.type)) return true;
    const auto* rod = std::get_if<DistanceJoint>(&joint.type);
    if (!rod) return false;
    const std::size_t k = same ? 0 : 1;
    return std::max((joint.anchors[0] - spring.anchors[k]).norm(),
                    (joint.anchors[1] - spring.anchors[1 - k]).norm()) <= 0x1p-40 * rod->length;
  });
}

// Rows of one spring of a scheme of first order (E360).
void add_spring(const Segment& s, const Place& place, double h, const Spring& spring,
                std::vector<ElementRow>& rows) {
  std::array<Vec3, 2> p, u = {Vec3::Zero(), Vec3::Zero()};
  for (std::size_t side = 0; side < 2; ++side) {
    const BodyId id = spring.bodies[side];
    p[side] =
        id == BodyId::world ? spring.anchors[side] : place.start[index(id)] * spring.anchors[side];
    if (id != BodyId::world && s.model.body(id).kind == BodyKind::prescribed)
      u[side] = (prescribed_at(s.model.body(id), place.t + h) * spring.anchors[side] - p[side]) / h;
  }
  const Vec3 d = p[1] - p[0];
  const double distance = d.norm(), stretch = distance - spring.rest_length;
  if (distance == 0 && spring.rest_length > 0) return;
  const Vec3 along = distance > 0 ? Vec3(d / distance) : Vec3::UnitX();
  const auto add = [&](const Vec3& direction, double stiffness, double damping, double tension) {
    ElementRow row = element_row(s.model, place.start, spring, p, direction);
    row.stiffness = stiffness;
    row.viscous = h * damping;
    row.damping = damping;
    row.tension = tension;
    row.motion = direction.dot(u[1] - u[0]);
    row.anchors = spring.anchors;
    row.distance = distance;
    row.held = is_held(s.model, spring);
    rows.push_back(row);
  };
  add(along, spring.stiffness, distance > 0 ? spring.damping : 0, spring.stiffness * stretch);
  rows.back().follows = distance > 0 && spring.rest_length > 0 && spring.stiffness > 0;
  const double across = distance > 0 ? spring.stiffness * stretch / distance : spring.stiffness;
  if (!(across > 0)) return;
  const Tangents t = tangents(along);
  for (const Vec3& e : {t.t1, t.t2}) {
    add(e, across, 0, 0);
    rows.back().across = distance > 0;
  }
}

// (E362): implicit shares of the stiffness.
void set_elastic(const Model& model, double h, std::vector<ElementRow>& rows) {
  std::array<std::vector<double>, 2> sums;  // along springs and across them (E410)
  for (std::vector<double>& sum : sums) sum.assign(model.bodies.size(), 0);
  for (const ElementRow& row : rows) {
    const double stiff = h * h * row.stiffness * inverse_mass_of(model, row);
    for (const BodyId id : row.bodies)
      if (id != BodyId::world && !row.held) sums[row.across ? 1 : 0][index(id)] += stiff;
  }
  for (ElementRow& row : rows) {
    double most = 0;
    for (const BodyId id : row.bodies)
      if (id != BodyId::world && model.body(id).velocities > 0)
        most = std::max(most, sums[row.across ? 1 : 0][index(id)]);
    row.elastic = most > 1 && !row.held ? (1 - 1 / most) * h * h * row.stiffness : 0;
  }
}

// (E465), (E467): which rows are followed, and with which share of their weight in A.
void set_following(const Model& model, double h, std::vector<ElementRow>& rows) {
  for (ElementRow& row : rows) {
    const double inverse = inverse_mass_of(model, row);
    const double stiff = h * (h * row.stiffness + row.damping) * inverse;
    row.share = row.stiffness > 0 && row.damping > 0 && stiff > 1 ? 1 - 1 / stiff : 0;
    row.soft = row.weight() * inverse > 1024 ? 1024 / (row.weight() * inverse) : 1;
    row.follows = row.follows && !row.held && (row.elastic > 0 || row.share > 0 || row.soft < 1);
  }
}

void push(const Model& model, const ElementRow& row, double impulse, VecX& sum) {
  for (std::size_t side = 0; side < 2; ++side)
    if (row.bodies[side] != BodyId::world)
      add_to(model.body(row.bodies[side]), impulse * row.j[side], sum);
}

// factor j^T j into A.
void add_weight(const Place& place, const ElementRow& row, double weight, Balance& out) {
  if (weight == 0) return;
  std::array<int, 2> at = {-1, -1};
  for (std::size_t side = 0; side < 2; ++side)
    if (row.bodies[side] != BodyId::world) at[side] = place.layout[index(row.bodies[side])];
  for (std::size_t side = 0; side < 2; ++side)
    if (at[side] >= 0)
      out.A[static_cast<std::size_t>(at[side])] += weight * row.j[side] * row.j[side].transpose();
  if (at[0] < 0 || at[1] < 0 || at[0] == at[1]) return;
  for (const auto& [i, j] : {std::pair<std::size_t, std::size_t>(0, 1), {1, 0}}) {
    Block6& block = out.couplings.try_emplace({at[i], at[j]}, Block6::Zero()).first->second;
    block += weight * row.j[i] * row.j[j].transpose();
  }
}

// Solves A v = M v_explicit for the bodies on implicit rows; the others keep theirs.
bool apply_implicit(const Segment& s, const Problem& problem, const std::vector<char>& coupled,
                    const VecX& v_explicit, const Balance& balance, VecX& v) {
  v = v_explicit;
  std::vector<int> first(problem.bodies.size(), -1);
  int n = 0;
  for (std::size_t i = 0; i < problem.bodies.size(); ++i) {
    if (!coupled[static_cast<std::size_t>(problem.bodies[i].model_body)]) continue;
    first[i] = n;
    n += problem.bodies[i].size;
  }
  if (n == 0) return true;
  if (n > most_coupled) return false;
  Eigen::MatrixXd A = Eigen::MatrixXd::Zero(n, n);
  VecX k = VecX::Zero(n);
  for (std::size_t i = 0; i < problem.bodies.size(); ++i) {
    if (first[i] < 0) continue;
    const ProblemBody& b = problem.bodies[i];
    const Body& body = s.model.bodies[static_cast<std::size_t>(b.model_body)];
    A.block(first[i], first[i], b.size, b.size) = balance.A[i].topLeftCorner(b.size, b.size);
    k.segment(first[i], b.size) =
        (mass_of(body) * velocities_of_body(body, v_explicit)).head(b.size);
  }
  for (const auto& [at, block] : balance.couplings) {
    const auto i = static_cast<std::size_t>(at.first), j = static_cast<std::size_t>(at.second);
    if (first[i] >= 0 && first[j] >= 0)
      A.block(first[i], first[j], problem.bodies[i].size, problem.bodies[j].size) +=
          block.topLeftCorner(problem.bodies[i].size, problem.bodies[j].size);
  }
  const VecX x = A.ldlt().solve(k);
  for (std::size_t i = 0; i < problem.bodies.size(); ++i)
    if (first[i] >= 0)
      v.segment(
          s.model.bodies[static_cast<std::size_t>(problem.bodies[i].model_body)].first_velocity,
          problem.bodies[i].size) = x.segment(first[i], problem.bodies[i].size);
  return true;
}

}  // namespace

double ElementRow::rate(const Model& model, const VecX& v) const {
  double sum = 0;
  for (std::size_t side = 0; side < 2; ++side)
    if (bodies[side] != BodyId::world)
      sum += j[side].dot(velocities_of_body(model.body(bodies[side]), v));
  return sum;
}

Balance instant_balance(const Segment& s, const Place& place, const Problem& problem) {
  Balance out;
  start_balance(s, problem, out);
  for (std::size_t i = 0; i < problem.bodies.size(); ++i) {
    const Body& body = s.model.bodies[static_cast<std::size_t>(problem.bodies[i].model_body)];
    const Row6 v = velocities_of_body(body, place.v);
    out.k[i] = out.A[i] * v;
    out.size[i] = out.A[i].cwiseAbs() * v.cwiseAbs();
  }
  out.v_free = place.v;
  return out;
}

namespace {

Balance finish_balance(const Segment& s, const Place& place, const Problem& problem, Balance out) {
  const Model& model = s.model;
  const double h = place.length;
  VecX held = VecX::Zero(model.velocities);  // what takes springs that joints hold back (E741)
  VecX impulse = out.applied, terms = out.potential.cwiseAbs() + out.applied.cwiseAbs();
  std::vector<char> coupled(model.bodies.size(), 0);
  for (const ElementRow& row : out.springs) {
    add_weight(place, row, row.weight(), out);
    push(model, row, -h * row.tension, out.potential);
    if (row.held) push(model, row, h * row.tension, held);
    push(model, row, -row.weight() * row.motion, impulse);
    // The stretch is a difference of positions: it rounds with their size.
    double far = 0;
    for (const BodyId id : row.bodies) {
      if (id == BodyId::world) continue;
      far = std::max(far, place.start[index(id)].p.norm() + model.length_unit);
      if (row.weight() > 0) coupled[index(id)] = 1;
    }
    for (std::size_t side = 0; side < 2; ++side)
      if (row.bodies[side] != BodyId::world)
        add_to(model.body(row.bodies[side]),
               (h * (std::abs(row.tension) + row.stiffness * far) +
                row.weight() * std::abs(row.motion)) *
                   row.j[side].cwiseAbs(),
               terms);
  }
  impulse += out.potential;
  VecX v_explicit = place.v, v_unheld = place.v;
  for (const ProblemBody& b : problem.bodies) {
    const Body& body = model.bodies[static_cast<std::size_t>(b.model_body)];
    const int n = body.velocities, first = body.first_velocity;
    const Eigen::MatrixXd M = mass_of(body).topLeftCorner(n, n);
    v_explicit.segment(first, n) += M.ldlt().solve(VecX(impulse.segment(first, n)));
    v_unheld.segment(first, n) += M.ldlt().solve(VecX((impulse + held).segment(first, n)));
  }
  out.known = apply_implicit(s, problem, coupled, v_unheld, out, out.v_free);
  for (std::size_t i = 0; i < problem.bodies.size(); ++i) {
    const Body& body = model.bodies[static_cast<std::size_t>(problem.bodies[i].model_body)];
    const Block6 M = mass_of(body);
    const Row6 v = velocities_of_body(body, place.v);
    out.k[i] = M * velocities_of_body(body, v_explicit);
    out.size[i] = M.cwiseAbs() * v.cwiseAbs();
    for (int k = 0; k < body.velocities; ++k) out.size[i][k] += terms[body.first_velocity + k];
    if (const int turn = angular_at(body); turn >= 0) {
      const Vec3 w = v.segment<3>(turn);
      out.size[i].segment<3>(turn).array() += (body.inertia_B * w).norm();
      if (coupled[static_cast<std::size_t>(problem.bodies[i].model_body)])
        out.size[i].segment<3>(turn).array() +=
            (body.inertia_B * out.v_free.segment<3>(body.first_velocity + turn)).norm();
    }
  }
  return out;
}

}  // namespace

Balance first_order_balance(const Segment& s, const Place& place, const Problem& problem,
                            bool middle) {
  const Model& model = s.model;
  const double h = place.length;
  Balance out;
  start_balance(s, problem, out);
  std::vector<Pose> half = place.start;
  if (middle)
    for (std::size_t i = 0; i < half.size(); ++i) {
      const Body& body = model.bodies[i];
      half[i] = body.kind == BodyKind::prescribed
                    ? prescribed_at(body, place.t + h / 2)
                    : moved_by(body, half[i], velocities_of_body(body, place.v), h / 2);
    }
  add_loads(s, half, middle ? place.t + h / 2 : place.t, h, out);
  for (const Spring& spring : model.springs) {
    const bool inside = std::all_of(spring.bodies.begin(), spring.bodies.end(), [&](BodyId id) {
      return id == BodyId::world || model.body(id).velocities == 0 || place.layout[index(id)] >= 0;
    });
    if (inside) add_spring(s, place, h, spring, out.springs);
  }
  set_elastic(model, h, out.springs);
  set_following(model, h, out.springs);
  bool across = false;
  for (ElementRow& row : out.springs) {
    if (!row.across) continue;
    across = across || row.elastic > 0;
    row.elastic = 0;
  }
  const Balance first = finish_balance(s, place, problem, out);
  if (!across) return first;
  // (E410): across their lines springs have the tension that they end the step with.
  double tension = 0;
  for (ElementRow& row : out.springs) {
    if (row.across)
      row.stiffness = std::max(0.0, tension) / row.distance;
    else
      tension = row.tension + row.weight() * (row.rate(model, first.v_free) + row.motion) / h;
  }
  set_elastic(model, h, out.springs);
  return finish_balance(s, place, problem, out);
}

bool beside_joints(const Model& model, const std::array<BodyId, 2>& bodies) {
  return std::any_of(model.joints.begin(), model.joints.end(), [&](const Joint& joint) {
    return std::any_of(joint.bodies.begin(), joint.bodies.end(), [&](BodyId id) {
      return id != BodyId::world && model.body(id).velocities > 0 &&
             (id == bodies[0] || id == bodies[1]);
    });
  });
}

Balance followed_balance(const Segment& s, const Place& place, const Problem& problem,
                         const Balance& balance, const VecX& v) {
  const Model& model = s.model;
  const double h = place.length;
  Balance out = balance;
  // (E740): beside joints, with these closed.
  const std::vector<Pose> led = led_poses(s, place, v, h);
  std::vector<Pose> closed;
  const auto end_of = [&](const ElementRow& row) -> const std::vector<Pose>& {
    if (!projects(s) || !beside_joints(model, row.bodies)) return led;
    if (closed.empty()) closed = closed_poses(s, place, led);
    return closed;
  };
  VecX pushes = VecX::Zero(model.velocities), terms = pushes;
  for (ElementRow& row : out.springs) {
    if (!row.follows) continue;
    const std::vector<Pose>& end = end_of(row);
    std::array<Vec3, 2> p;
    double far = 0;
    for (std::size_t side = 0; side < 2; ++side) {
      const BodyId id = row.bodies[side];
      p[side] = id == BodyId::world ? row.anchors[side] : end[index(id)] * row.anchors[side];
      far = std::max(far, p[side].norm() + model.length_unit);
    }
    const double rate = row.rate(model, v) + row.motion,
                 opening = ((p[1] - p[0]).norm() - row.distance) / h;
    row.drag_rate = rate + row.share * (opening - rate);
    row.drag = row.viscous * row.drag_rate;
    row.law = h * row.tension + row.elastic * opening + row.drag;
    const double more =
        h * row.tension - row.law + row.weight() * (row.soft * rate + (1 - row.soft) * row.motion);
    add_weight(place, row, (row.soft - 1) * row.weight(), out);
    push(model, row, more, pushes);
    const double size = h * std::abs(row.tension) + std::abs(row.law) +
                        row.weight() * (std::abs(rate) + std::abs(row.motion) + far / h);
    for (std::size_t side = 0; side < 2; ++side)
      if (row.bodies[side] != BodyId::world)
        add_to(model.body(row.bodies[side]), size * row.j[side].cwiseAbs(), terms);
  }
  for (std::size_t i = 0; i < problem.bodies.size(); ++i) {
    const Body& body = model.bodies[static_cast<std::size_t>(problem.bodies[i].model_body)];
    for (int k = 0; k < body.velocities; ++k) {
      out.k[i][k] += pushes[body.first_velocity + k];
      out.size[i][k] += terms[body.first_velocity + k];
    }
  }
  return out;
}

Balance chosen_balance(const Segment& s, const Place& place, const SolveRecord& record,
                       const Balance& balance) {
  Balance plain = balance;
  bool any = false;
  for (ElementRow& row : plain.springs) any = any || row.follows;
  if (!any) return plain;
  const VecX v = solved_velocities(s.model, record, place.v);
  Balance followed = followed_balance(s, place, record.problem, balance, v);
  if (balance_agrees(s, record.problem, followed)) return followed;
  for (ElementRow& row : plain.springs) row.follows = false;
  return plain;
}

}  // namespace cairn::record
