#include "cairn/robot/coordinates.hpp"

#include <Eigen/QR>
#include <algorithm>
#include <cmath>
#include <fmt/format.h>

#include "base/boundary.hpp"
#include "base/index.hpp"
#include "base/union_find.hpp"
#include "constrain/gears.hpp"
#include "constrain/projection.hpp"
#include "dynamics/forces.hpp"
#include "dynamics/kinematics.hpp"
#include "model/joint/joint_coordinate.hpp"

namespace cairn {
namespace {

using Eigen::MatrixXd;

constexpr double independent =
    1e-9;  // part of a row that others do not say, in the mass metric [-]
constexpr double largest_turn = 0.1;  // of a coordinate in one step of with_joint_positions [rad]
constexpr double most_steps = 1000;   // of with_joint_positions: lengths beyond take larger ones
constexpr double reached = 1e-9;      // of coordinates and joints, of the model's size [-]
constexpr double stretch_of_time = 1e-4;  // for the derivative of S [s]

Error fault(const std::string& path, ErrorCode code, const std::string& what,
            const std::string& got, const std::string& allowed, const std::string& fix) {
  return {.code = code, .path = path, .what = what, .got = got, .allowed = allowed, .fix = fix};
}

// Rows of joints and gears, and of the coordinates of all joints that have one, over the velocities
// of the model in SI; angles as lengths.
MatrixXd rows_over_model(const Model& model, const Problem& problem) {
  MatrixXd J = MatrixXd::Zero(problem.rows(), model.velocities);
  for (std::size_t i = 0; i < problem.constraints.size(); ++i) {
    const Constraint& c = problem.constraints[i];
    for (std::size_t side = 0; side < max_sides; ++side) {
      if (c.body[side] < 0) continue;
      const ProblemBody& b = problem.bodies[base::at(c.body[side])];
      const Body& body = model.bodies[base::at(b.model_body)];
      const int turns = body.rotation == RotationKind::three ? 3
                        : body.rotation == RotationKind::one ? 1
                                                             : 0;
      for (int r = 0; r < c.rows; ++r)
        for (int k = 0; k < b.size; ++k)
          J(problem.first_row[i] + r, body.first_velocity + k) +=
              c.J[side][r][k] * (k < b.size - turns ? 1 : problem.units.length);
    }
  }
  return J;
}

struct Rows {
  MatrixXd held;                // of joints and gears
  MatrixXd coordinates;         // one each
  std::vector<JointId> joints;  // of these
  VecX root;                    // square roots of the masses of the velocities: their metric
};

Rows rows_of(const Model& model, std::span<const Pose> poses) {
  Rows out;
  Problem problem;
  constrain::ProblemLayout layout;
  std::vector<constrain::JointRowTerms> terms;
  constrain::assemble_bodies(model, VecX::Zero(model.velocities), 1, layout, problem);
  for (std::size_t i = 0; i < model.joints.size(); ++i)
    constrain::add_joint(model, poses, poses, layout, static_cast<JointId>(i), 1, 1, problem,
                         terms);
  for (std::size_t i = 0; i < model.gears.size(); ++i)
    constrain::add_gear(model, poses, poses, layout, i, 1, 1, problem, terms);
  out.held = rows_over_model(model, problem);
  problem.constraints.clear();
  problem.first_row.assign(1, 0);
  for (std::size_t i = 0; i < model.joints.size(); ++i) {
    const auto id = static_cast<JointId>(i);
    Constraint c;
    if (!model::has_coordinate(model.joints[i]) ||
        !constrain::coordinate_row(model, poses, layout, id, c))
      continue;
    const double lever = model::is_angle(model.joints[i]) ? model.length_unit : 1;
    for (auto& side : c.J)
      for (double& x : side[0]) x /= lever;
    problem.constraints.push_back(c);
    problem.first_row.push_back(problem.first_row.back() + 1);
    out.joints.push_back(id);
  }
  out.coordinates = rows_over_model(model, problem);
  out.root = VecX::Zero(model.velocities);
  double A[6][6];
  for (const Body& body : model.bodies) {
    if (body.velocities == 0) continue;
    dynamics::mass_matrix(body, A);
    for (int k = 0; k < body.velocities; ++k)
      out.root[body.first_velocity + k] = std::sqrt(A[k][k]);
  }
  return out;
}

// An orthonormal basis of rows that grows by what is new.
class Span {
 public:
  explicit Span(const VecX& root) : root_(root), basis_(root.size(), root.size()) {}

  // Adds a row; false if the rows before it say it already.
  bool add(const VecX& row) {
    VecX x = row.cwiseQuotient(root_);
    const double length = x.norm();
    if (!(length > 0) || size_ == basis_.cols()) return false;
    x /= length;
    for (int pass = 0; pass < 2; ++pass)
      x -= basis_.leftCols(size_) * (basis_.leftCols(size_).transpose() * x);
    if (!(x.norm() > independent)) return false;
    basis_.col(size_++) = x.normalized();
    return true;
  }
  Eigen::Index size() const { return size_; }

 private:
  const VecX& root_;
  MatrixXd basis_;
  Eigen::Index size_ = 0;
};

MatrixXd mass_matrix(const Model& model) {
  MatrixXd M = MatrixXd::Zero(model.velocities, model.velocities);
  double A[6][6];
  for (const Body& body : model.bodies) {
    if (body.velocities == 0) continue;
    dynamics::mass_matrix(body, A);
    for (int r = 0; r < body.velocities; ++r)
      for (int c = 0; c < body.velocities; ++c)
        M(body.first_velocity + r, body.first_velocity + c) = A[r][c];
  }
  return M;
}

// v = S u: the rates of the chosen coordinates are u, joints stay closed, floating bodies move as u
// says. By least squares, since rows of closed loops may depend on each other.
MatrixXd columns_of(const Model& model, const Rows& rows, const JointSpace& space) {
  std::vector<Eigen::Index> chosen;
  for (const JointId id : space.coordinates)
    chosen.push_back(std::find(rows.joints.begin(), rows.joints.end(), id) - rows.joints.begin());
  Eigen::Index free = 0;
  for (const BodyId id : space.floating) free += model.body(id).velocities;
  const Eigen::Index n = static_cast<Eigen::Index>(chosen.size()) + free, held = rows.held.rows();
  MatrixXd B = MatrixXd::Zero(held + n, model.velocities), right = MatrixXd::Zero(held + n, n);
  B.topRows(held) = rows.held;
  for (std::size_t i = 0; i < chosen.size(); ++i)
    B.row(held + static_cast<Eigen::Index>(i)) = rows.coordinates.row(chosen[i]);
  Eigen::Index row = held + static_cast<Eigen::Index>(chosen.size());
  for (const BodyId id : space.floating)
    for (int k = 0; k < model.body(id).velocities; ++k)
      B(row++, model.body(id).first_velocity + k) = 1;
  right.bottomRows(n) = MatrixXd::Identity(n, n);
  if (n == 0 || model.velocities == 0) return MatrixXd::Zero(model.velocities, n);
  // Rows and columns of a like size.
  for (Eigen::Index r = 0; r < B.rows(); ++r) {
    const double size = B.row(r).cwiseQuotient(rows.root.transpose()).norm();
    if (!(size > 0)) continue;
    B.row(r) /= size;
    right.row(r) /= size;
  }
  const MatrixXd scaled = B * rows.root.cwiseInverse().asDiagonal();
  Eigen::ColPivHouseholderQR<MatrixXd> factor(scaled.rows(), scaled.cols());
  factor.setThreshold(independent);
  factor.compute(scaled);
  return rows.root.cwiseInverse().asDiagonal() * factor.solve(right);
}

// Rates of S u with u constant, at the poses to which the motion leads after dt.
VecX velocities_after(const Model& model, const State& state, const JointSpace& space,
                      const VecX& v, const VecX& u, double dt) {
  std::vector<Pose> poses = state.poses;
  for (std::size_t i = 0; i < poses.size(); ++i)
    if (const Body& body = model.bodies[i]; body.velocities > 0)
      poses[i] = dynamics::advanced(body, poses[i], v.data() + body.first_velocity, dt);
  return columns_of(model, rows_of(model, poses), space) * u;
}

// dS/dt u, by differences of fourth order.
VecX bias_acceleration(const Model& model, const State& state, const JointSpace& space,
                       const VecX& u) {
  const VecX v = space.S * u;
  double fastest = 0;
  for (const Body& body : model.bodies)
    if (body.velocities > 0)
      fastest =
          std::max(fastest, v.segment(body.first_velocity, body.velocities).cwiseAbs().maxCoeff());
  if (!(fastest > 0)) return VecX::Zero(model.velocities);
  const double dt = stretch_of_time / std::max(1e-3, fastest / model.length_unit);
  const auto at = [&](double s) { return velocities_after(model, state, space, v, u, s * dt); };
  return (8 * (at(1) - at(-1)) - (at(2) - at(-2))) / (12 * dt);
}

// Generalised forces but those of constraints.
VecX forces_on(const Model& model, const State& state) {
  dynamics::Forces forces;
  dynamics::evaluate_loads(model, state, forces);
  VecX f = forces.potential + forces.applied;
  const auto push = [&](BodyId id, const Vec3& point_W, const Vec3& force) {
    if (id == BodyId::world || model.body(id).velocities == 0) return;
    const Body& body = model.body(id);
    const Pose& X = state.poses[index(id)];
    dynamics::add_generalised_force(body, X, force, (point_W - X.p).cross(force),
                                    f.data() + body.first_velocity);
  };
  const auto velocity_at = [&](BodyId id, const Vec3& point_W) -> Vec3 {
    if (id == BodyId::world || model.body(id).velocities == 0) return Vec3::Zero();
    const Body& body = model.body(id);
    const Pose& X = state.poses[index(id)];
    const double* v = state.v.data() + body.first_velocity;
    return dynamics::linear_velocity(body, v) +
           dynamics::angular_velocity(body, X, v).cross(point_W - X.p);
  };
  for (const Spring& spring : model.springs) {
    std::array<Vec3, 2> p;
    for (std::size_t side = 0; side < 2; ++side)
      p[side] = spring.bodies[side] == BodyId::world
                    ? spring.anchors[side]
                    : state.poses[index(spring.bodies[side])] * spring.anchors[side];
    const double length = (p[1] - p[0]).norm();
    if (!(length > 0)) continue;
    const Vec3 along = (p[1] - p[0]) / length;
    const double rate =
        along.dot(velocity_at(spring.bodies[1], p[1]) - velocity_at(spring.bodies[0], p[0]));
    const Vec3 pull =
        (spring.stiffness * (length - spring.rest_length) + spring.damping * rate) * along;
    push(spring.bodies[0], p[0], pull);
    push(spring.bodies[1], p[1], -pull);
  }
  return f;
}

// Efforts of springs, dampers and rotors along the coordinates, on the velocities of the model.
void add_coordinate_forces(const Model& model, const State& state, const Rows& rows,
                           const VecX& acceleration, VecX& f) {
  for (std::size_t i = 0; i < rows.joints.size(); ++i) {
    const Joint& joint = model.joints[index(rows.joints[i])];
    const auto row = rows.coordinates.row(static_cast<Eigen::Index>(i));
    double effort = -joint.armature * row.dot(acceleration);
    if (joint.spring.any())
      effort -=
          joint.spring.stiffness *
              model::coordinate_difference(joint, model::joint_coordinate(state.poses, joint).value,
                                           joint.spring.rest) +
          joint.spring.damping * row.dot(state.v);
    f += effort * row.transpose();
  }
}

// w x I w of bodies that turn freely.
VecX gyroscopic(const Model& model, const VecX& v) {
  VecX out = VecX::Zero(model.velocities);
  for (const Body& body : model.bodies) {
    if (body.velocities == 0 || body.rotation != RotationKind::three) continue;
    const int at = body.first_velocity + body.velocities - 3;
    const Vec3 w = v.segment<3>(at);
    out.segment<3>(at) = w.cross(body.inertia_B * w);
  }
  return out;
}

}  // namespace

Result<State> with_joint_positions(const Model& model, const State& state,
                                   std::span<const JointValue> values) try {
  State out = state;
  constrain::ProjectionBuffers buffers;
  double steps = 1;
  for (std::size_t i = 0; i < values.size(); ++i) {
    const std::string path = fmt::format("values[{}]", i);
    if (index(values[i].joint) >= model.joints.size() ||
        !model::has_coordinate(model.joints[index(values[i].joint)]))
      return fail(fault(path, ErrorCode::unknown_name, "this joint has no coordinate",
                        std::to_string(static_cast<int>(values[i].joint)),
                        "joints with a coordinate", "name one of them"));
    const Joint& joint = model.joints[index(values[i].joint)];
    for (std::size_t k = 0; k < i; ++k)
      if (values[k].joint == values[i].joint)
        return fail(fault(path, ErrorCode::conflict, "a joint is named twice", joint.name,
                          "each joint once", "drop one of the values"));
    const double value = values[i].value;
    if (!std::isfinite(value) || value < joint.limits.lower || value > joint.limits.upper)
      return fail(fault(path, ErrorCode::out_of_range,
                        "the value of joint '" + joint.name + "' is out of its range",
                        fmt::format("{:.6g}", value),
                        fmt::format("{:.6g} to {:.6g}", joint.limits.lower, joint.limits.upper),
                        "choose a value in the range"));
    const double way = std::abs(model::coordinate_difference(
                           joint, value, model::joint_coordinate(out.poses, joint).value)) /
                       (model::is_angle(joint) ? 1 : model.length_unit);
    steps = std::min(most_steps, std::max(steps, std::ceil(way / largest_turn)));
  }
  std::vector<double> start;
  for (const JointValue& v : values)
    start.push_back(model::joint_coordinate(out.poses, model.joints[index(v.joint)]).value);
  for (double k = 1; k <= steps; ++k) {
    buffers.coordinates.clear();
    for (std::size_t i = 0; i < values.size(); ++i) {
      const Joint& joint = model.joints[index(values[i].joint)];
      buffers.coordinates.push_back(
          {values[i].joint,
           start[i] + k / steps * model::coordinate_difference(joint, values[i].value, start[i])});
    }
    constrain::project_onto_joints(model, buffers, out.poses);
  }
  const double size = constrain::extent(model, out.poses);
  const double open = constrain::open_error(model, out.poses),
               off = constrain::coordinate_error(model, buffers.coordinates, out.poses);
  if (!(open <= reached * size) || !(off <= reached * size))
    return fail(fault("values", ErrorCode::open_joint, "the joints do not allow these coordinates",
                      fmt::format("{:.3g} m at best", std::max(open, off)),
                      "coordinates that the mechanism can take",
                      "give fewer of them, or values nearer to those of the state"));
  return out;
} catch (...) {
  return fail(base::caught_error());
}

Result<JointSpace> joint_space(const Model& model, const State& state,
                               std::span<const JointId> coordinates) try {
  const Rows rows = rows_of(model, state.poses);
  JointSpace out;
  Span span(rows.root);
  for (Eigen::Index r = 0; r < rows.held.rows(); ++r) span.add(rows.held.row(r).transpose());
  const auto take = [&](JointId id) {
    const auto at = std::find(rows.joints.begin(), rows.joints.end(), id);
    return at != rows.joints.end() &&
           span.add(rows.coordinates.row(at - rows.joints.begin()).transpose());
  };
  for (std::size_t i = 0; i < coordinates.size(); ++i) {
    if (index(coordinates[i]) >= model.joints.size() || !take(coordinates[i]))
      return fail(fault(fmt::format("coordinates[{}]", i), ErrorCode::conflict,
                        "this coordinate depends on the others, or the joint has none",
                        index(coordinates[i]) < model.joints.size()
                            ? model.joints[index(coordinates[i])].name
                            : std::to_string(static_cast<int>(coordinates[i])),
                        "independent coordinates of joints", "leave it out"));
    out.coordinates.push_back(coordinates[i]);
  }
  if (coordinates.empty())
    for (const JointId id : rows.joints)
      if (take(id)) out.coordinates.push_back(id);
  for (std::size_t i = 0; i < model.bodies.size(); ++i) {
    const Body& body = model.bodies[i];
    Span with = span;
    bool all = body.velocities > 0;
    for (int k = 0; k < body.velocities && all; ++k) {
      VecX row = VecX::Zero(model.velocities);
      row[body.first_velocity + k] = 1;
      all = with.add(row);
    }
    if (!all) continue;
    out.floating.push_back(static_cast<BodyId>(i));
    for (int k = 0; k < body.velocities; ++k) {
      VecX row = VecX::Zero(model.velocities);
      row[body.first_velocity + k] = 1;
      span.add(row);
    }
  }
  if (span.size() != model.velocities)
    return fail(fault("coordinates", ErrorCode::unsupported,
                      "the coordinates of joints do not say how all bodies move",
                      fmt::format("{} of {} velocities", span.size(), model.velocities),
                      "mechanisms whose joints have coordinates",
                      "use revolute or universal joints in place of ball joints and rods"));
  out.S = columns_of(model, rows, out);
  return out;
} catch (...) {
  return fail(base::caught_error());
}

MatrixXd body_jacobian(const Model& model, const State& state, const JointSpace& space, BodyId id,
                       const Vec3& point) {
  MatrixXd out = MatrixXd::Zero(6, space.columns());
  const Body& body = model.body(id);
  const Pose& X = state.poses[index(id)];
  const Vec3 arm = X.R * point;
  for (Eigen::Index c = 0; c < out.cols() && body.velocities > 0; ++c) {
    const VecX own = space.S.col(c).segment(body.first_velocity, body.velocities);
    const Vec3 spin = dynamics::angular_velocity(body, X, own.data());
    out.col(c).head<3>() = dynamics::linear_velocity(body, own.data()) + spin.cross(arm);
    out.col(c).tail<3>() = spin;
  }
  return out;
}

MatrixXd contact_jacobian(const Model& model, const State& state, const JointSpace& space,
                          const Contact& contact) {
  const auto at = [&](BodyId id) {
    return MatrixXd(
        body_jacobian(model, state, space, id, state.poses[index(id)].inverse() * contact.p_WC)
            .topRows(3));
  };
  Mat3 along;
  along << contact.n_W.transpose(), contact.t1_W.transpose(), contact.t2_W.transpose();
  return along * (at(contact.key.body_b) - at(contact.key.body_a));
}

MatrixXd joint_mass_matrix(const Model& model, const State& state, const JointSpace& space) {
  MatrixXd H = space.S.transpose() * mass_matrix(model) * space.S;
  const Rows rows = rows_of(model, state.poses);
  for (std::size_t i = 0; i < rows.joints.size(); ++i) {
    const double inertia = model.joints[index(rows.joints[i])].armature;
    if (!(inertia > 0)) continue;
    const VecX rate =
        space.S.transpose() * rows.coordinates.row(static_cast<Eigen::Index>(i)).transpose();
    H += inertia * rate * rate.transpose();
  }
  return H;
}

VecX inverse_dynamics(const Model& model, const State& state, const JointSpace& space,
                      const VecX& accelerations) {
  if (accelerations.size() != space.columns())
    throw std::invalid_argument(
        "cairn::inverse_dynamics: accelerations are not those of the "
        "columns of S");
  // The rates of the columns: what of v the joints allow.
  const VecX u = joint_rates(space, state);
  const VecX a = space.S * accelerations + bias_acceleration(model, state, space, u);
  VecX f = forces_on(model, state);
  add_coordinate_forces(model, state, rows_of(model, state.poses), a, f);
  return space.S.transpose() * (mass_matrix(model) * a + gyroscopic(model, state.v) - f);
}

VecX gravity_compensation(const Model& model, const State& state, const JointSpace& space) {
  State rest = state;
  rest.v.setZero(model.velocities);
  return inverse_dynamics(model, rest, space, VecX::Zero(space.columns()));
}

}  // namespace cairn
