// check, payment for a projection near prescribed bodies (E322): the velocities with which free
// bodies follow them. Formulas of the judge; the engine solves a problem where this factorises.
#include <Eigen/QR>

#include "base/index.hpp"
#include "base/union_find.hpp"
#include "record/check/check_parts.hpp"
#include "record/check/rebuild/rows.hpp"

namespace cairn::record {
namespace {

constexpr int none = -1, ground = -2, several = -3;  // frames of groups

// Groups of bodies that pay together, and the body that each follows.
struct Groups {
  base::UnionFind sets;
  std::vector<int> frame;  // number of a prescribed body, or one of the three above

  std::size_t root(std::size_t i) { return base::at(sets.root(static_cast<int>(i))); }
};

double normal_impulse(const SolveRecord& record, std::size_t constraint) {
  return record.solution.lambda[record.problem.first_row[constraint]];
}

// Contacts that press connect bodies, or all contacts: bodies that the projection alone pushed
// belong together too, and the frame does not name them.
Groups groups_of(const Model& model, const SolveRecord& record, bool all_contacts) {
  Groups groups;
  groups.sets.reset(model.bodies.size());
  groups.frame.assign(model.bodies.size(), none);
  const auto free = [&](BodyId id) {
    return id != BodyId::world && model.body(id).kind == BodyKind::dynamic;
  };
  std::vector<std::array<BodyId, 2>> links;
  for (const Joint& joint : model.joints) links.push_back(joint.bodies);
  for (std::size_t i = 0; i < record.problem.constraints.size(); ++i) {
    const ConstraintKey& id = record.problem.constraints[i].key;
    if (is_of_contact(id.role) && (all_contacts || normal_impulse(record, i) > 0))
      links.push_back({id.contact.body_a, id.contact.body_b});
  }
  for (const auto& [a, b] : links)
    if (free(a) && free(b)) groups.sets.join(static_cast<int>(a), static_cast<int>(b));
  for (const BodyCoupling& c : record.problem.couplings)
    groups.sets.join(record.problem.bodies[base::at(c.body[0])].model_body,
                     record.problem.bodies[base::at(c.body[1])].model_body);
  for (const std::array<BodyId, 2>& link : links)
    for (std::size_t side = 0; side < 2; ++side) {
      const BodyId other = link[side], own = link[1 - side];
      if (!free(own) || free(other)) continue;
      const bool moves = other != BodyId::world && model.body(other).kind == BodyKind::prescribed;
      const int by = moves ? static_cast<int>(other) : ground;
      int& frame = groups.frame[groups.root(index(own))];
      frame = frame == none || frame == by ? by : several;
    }
  return groups;
}

// The rigid motion of the prescribed body, at the place of the free one.
void follow(const Model& model, std::size_t body, const Pose& start, const Pose& from,
            const Pose& to, double h, VecX& u) {
  const Body& b = model.bodies[body];
  const Row6 own =
      generalised(b, start, screw_velocity_of(from, to, start.p, h), mean_spin(from, to, h));
  u.segment(b.first_velocity, b.velocities) = own.head(b.velocities);
}

// J u + motion = 0 for joints and contacts that press, normal rows alone where they slide.
struct Conditions {
  Eigen::MatrixXd J;  // SI
  VecX motion;        // [m/s]
};

bool slides(const SolveRecord& record, std::size_t constraint) {
  const Constraint& c = record.problem.constraints[constraint];
  const int first = record.problem.first_row[constraint];
  const double along = record.solution.lambda.segment(first + 1, c.rows - 1).norm();
  if (along < (1 - 1e-9) * c.mu * record.solution.lambda[first]) return false;
  VecX w = VecX::Zero(c.rows);
  for (int r = 0; r < c.rows; ++r) {
    w[r] = c.b[r];
    for (std::size_t side = 0; side < max_sides; ++side) {
      if (c.body[side] < 0) continue;
      const ProblemBody& body = record.problem.bodies[base::at(c.body[side])];
      for (int k = 0; k < body.size; ++k)
        w[r] += c.J[side][r][k] * record.solution.v[body.first + k];
    }
  }
  return w.tail(c.rows - 1).norm() > 1e-12;
}

Conditions conditions(const Segment& s, const SolveRecord& record, const Place& place,
                      const std::vector<Pose>& end) {
  const Problem& problem = record.problem;
  std::vector<std::array<int, 2>> rows;  // constraint and row
  std::vector<double> motions;
  for (const JointRow& row : joint_rows_at(s, place, place.rows)) {
    rows.push_back({static_cast<int>(row.constraint), row.row});
    motions.push_back(joint_motion(s.model, row, place.rows, end, place.length));
  }
  for (std::size_t i = 0; i < problem.constraints.size(); ++i) {
    const Constraint& c = problem.constraints[i];
    if (!pushes(c.key.role)) continue;
    const Contact* contact = contact_with(place.contacts, c.key.contact);
    if (!contact || !(normal_impulse(record, i) > 0)) continue;
    const Vec3 motion = contact_motion_with(s, *contact, place.rows, end, place.length,
                                            c.b[0] * problem.units.speed());
    const int count = c.rows > 1 && slides(record, i) ? 1 : c.rows;
    for (int r = 0; r < count; ++r) {
      rows.push_back({static_cast<int>(i), r});
      motions.push_back(motion[r]);
    }
  }
  Conditions out{Eigen::MatrixXd::Zero(static_cast<Eigen::Index>(rows.size()), s.model.velocities),
                 Eigen::Map<const VecX>(motions.data(), static_cast<Eigen::Index>(motions.size()))};
  for (std::size_t n = 0; n < rows.size(); ++n) {
    const Constraint& c = problem.constraints[base::at(rows[n][0])];
    for (std::size_t side = 0; side < max_sides; ++side) {
      if (c.body[side] < 0) continue;
      const ProblemBody& number = problem.bodies[base::at(c.body[side])];
      const Body& body = s.model.bodies[static_cast<std::size_t>(number.model_body)];
      const Row6 unit = unit_factors(body, problem.units).velocity;
      for (int k = 0; k < number.size; ++k)
        out.J(static_cast<Eigen::Index>(n), body.first_velocity + k) +=
            c.J[side][rows[n][1]][k] * problem.units.speed() / unit[k];
    }
  }
  return out;
}

// The u of least kinetic energy under the conditions.
VecX least_velocities(const Model& model, const Conditions& given) {
  Eigen::MatrixXd J = given.J;
  Eigen::MatrixXd root = Eigen::MatrixXd::Zero(model.velocities, model.velocities);  // M = L L^T
  for (const Body& body : model.bodies) {
    const int n = body.velocities;
    if (n == 0) continue;
    const Eigen::MatrixXd M = mass_of(body).topLeftCorner(n, n);
    root.block(body.first_velocity, body.first_velocity, n, n) = M.llt().matrixL();
  }
  // y = L^T u, |y| least with J L^-T y = -motion.
  J = root.triangularView<Eigen::Lower>().solve(J.transpose()).transpose();
  const VecX y = Eigen::CompleteOrthogonalDecomposition<Eigen::MatrixXd>(J).solve(-given.motion);
  return root.transpose().triangularView<Eigen::Upper>().solve(y);
}

}  // namespace

std::array<VecX, 2> carried_velocities(const Model& model, const SchemeOptions& scheme,
                                       const State& before, const TraceFrame& frame) {
  const VecX zero = VecX::Zero(model.velocities);
  std::array<VecX, 2> out = {zero, zero};
  const SolveRecord& last = frame.report.solved().back();
  Unverified unused;
  const Complain silent = [](FindingCode, const std::string&) {};
  const Segment segment{.model = model,
                        .scheme = scheme,
                        .start = before,
                        .length = frame.report.h,
                        .nominal = frame.report.h,
                        .allowed_overlap = 0,
                        .solves = {},
                        .first_solve = 0,
                        .report = frame.report,
                        .reported = {},
                        .complain = silent,
                        .unverified = unused,
                        .end = {},
                        .v_end = {}};
  const Place place = place_of(segment, last);
  if (!(place.length > 0)) return out;
  std::vector<Pose> end = place.rows;
  bool prescribed = false;
  for (std::size_t i = 0; i < model.bodies.size(); ++i)
    if (model.bodies[i].kind == BodyKind::prescribed) {
      end[i] = prescribed_at(model.bodies[i], place.t + place.length);
      prescribed = true;
    }
  if (!prescribed) return out;
  for (std::size_t n = 0; n < out.size(); ++n) {
    Groups groups = groups_of(model, last, n == 1);
    VecX least;
    for (std::size_t i = 0; i < model.bodies.size(); ++i) {
      const Body& body = model.bodies[i];
      const int by = groups.frame[groups.root(i)];
      if (body.kind != BodyKind::dynamic) continue;
      if (by >= 0)
        follow(model, i, place.start[i], place.start[base::at(by)], end[base::at(by)], place.length,
               out[n]);
      if (by != several) continue;
      if (least.size() == 0) least = least_velocities(model, conditions(segment, last, place, end));
      out[n].segment(body.first_velocity, body.velocities) =
          least.segment(body.first_velocity, body.velocities);
    }
  }
  return out;
}

}  // namespace cairn::record
