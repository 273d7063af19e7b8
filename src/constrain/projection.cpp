#include "constrain/projection.hpp"

#include <algorithm>
#include <cmath>

#include "base/conventions.hpp"
#include "base/index.hpp"
#include "constrain/gears.hpp"
#include "dynamics/kinematics.hpp"
#include "linear/blocks.hpp"
#include "model/joint/joint_coordinate.hpp"

namespace cairn::constrain {
namespace {

constexpr int max_newton_steps = 40;
constexpr double redundant_pivot = 1e-10;  // carries joints that say the same thing twice [-]
// Of the matrix of a body and its joints, and of a row of a contact, in products of 6 x 6 blocks
// (E314).
constexpr double work_of_body = 30, work_of_contact = 10;
constexpr double held = 1e-8;  // mobility of a contact under the joints, of that without them [-]

// J_i A^-1 J_j^T of two constraints on one body, added to `block`.
void add_coupling(const ProblemBody& body, const linear::BodyBlock& inverse, const Constraint& i,
                  std::size_t side_i, const Constraint& j, std::size_t side_j,
                  linear::BodyBlock& block) {
  for (int c = 0; c < j.rows; ++c) {
    double response[max_velocities];
    for (int k = 0; k < body.size; ++k)
      response[k] = linear::row_product(inverse[k], body.size, j.J[side_j][c]);
    for (int r = 0; r < i.rows; ++r)
      block[r][c] += linear::row_product(i.J[side_i][r], body.size, response);
  }
}

// The joints on each body and the inverse of its mass matrix; false if it has none.
bool list_constraints(ProjectionBuffers& b) {
  b.on_body.resize(b.problem.bodies.size());
  for (auto& list : b.on_body) list.clear();
  for (std::size_t i = 0; i < b.problem.constraints.size(); ++i)
    for (std::size_t side = 0; side < max_sides; ++side)
      if (const int body = b.problem.constraints[i].body[side]; body >= 0)
        b.on_body[base::at(body)].push_back({static_cast<int>(i), side});
  b.inverse.resize(b.problem.bodies.size());
  for (std::size_t i = 0; i < b.problem.bodies.size(); ++i)
    if (!linear::invert(b.problem.bodies[i].A, b.problem.bodies[i].size, b.inverse[i].value))
      return false;
  return true;
}

// Components of x_B - x_A along the rows of the contact, less what is left along the normal.
Vec3 apart(const AnchorRows& anchor, std::span<const Pose> poses) {
  const Contact& c = anchor.contact;
  const Vec3 d = poses[index(c.key.body_b)] * anchor.p_B - poses[index(c.key.body_a)] * anchor.p_A;
  return {c.n_W.dot(d) - anchor.normal, c.rows > 1 ? c.t1_W.dot(d) : 0,
          c.rows > 2 ? c.t2_W.dot(d) : 0};
}

// (E442), after the joints.
void add_anchors(const Model& model, std::span<const Pose> poses, ProjectionBuffers& b) {
  for (const AnchorRows& anchor : b.anchors) {
    Contact c = anchor.contact;
    c.stretch = 1;
    c.p_WC =
        0.5 * (poses[index(c.key.body_a)] * anchor.p_A + poses[index(c.key.body_b)] * anchor.p_B);
    add_contact(model, poses, b.layout, c, 0, apart(anchor, poses), b.problem);
    b.problem.constraints.back().law = Law::equality;
  }
}

// How far a coordinate is from its value [m].
double apart(const Model& model, const KeptCoordinate& kept, std::span<const Pose> poses) {
  const Joint& joint = model.joints[index(kept.joint)];
  const double value = model::joint_coordinate(poses, joint).value;
  return (model::is_angle(joint) ? model.length_unit : 1) *
         model::coordinate_difference(joint, value, kept.value);
}

// (E764).
void add_coordinates(const Model& model, std::span<const Pose> poses, ProjectionBuffers& b) {
  for (const KeptCoordinate& kept : b.coordinates) {
    Constraint c;
    if (!coordinate_row(model, poses, b.layout, kept.joint, c)) continue;
    c.law = Law::equality;
    c.b[0] = apart(model, kept, poses) / b.problem.units.speed();
    b.problem.first_row.push_back(b.problem.first_row.back() + 1);
    b.problem.constraints.push_back(std::move(c));
  }
}

// The factor of J M^-1 J^T of the joints, coordinates and anchors. The bodies are eliminated before
// any joint: d = M^-1 J^T mu is then orthogonal to every motion of the mechanism, and the centre of
// mass of what floats stays, whatever the error of mu. (Eliminating a joint while one of its bodies
// is still there may meet a pivot of rounding where its other body is held by more joints than it
// has velocities; M d = J^T mu is lost then.)
bool factorize_joints(const Model& model, ProjectionBuffers& b, std::span<const Pose> poses) {
  b.zero.setZero(model.velocities);
  assemble_bodies(model, b.zero, 1, b.layout, b.problem);
  b.terms.clear();
  for (std::size_t i = 0; i < model.joints.size(); ++i)
    add_joint(model, poses, poses, b.layout, static_cast<JointId>(i), 1, 1, b.problem, b.terms);
  for (std::size_t i = 0; i < model.gears.size(); ++i)
    add_gear(model, poses, poses, b.layout, i, 1, 1, b.problem, b.terms);
  add_coordinates(model, poses, b);
  add_anchors(model, poses, b);
  const std::vector<Constraint>& constraints = b.problem.constraints;
  if (!list_constraints(b)) return false;

  b.sizes.clear();
  for (const Constraint& c : constraints) b.sizes.push_back(c.rows);
  b.late.assign(constraints.size(), 0);
  b.lu.begin(b.sizes, b.late);
  for (const auto& list : b.on_body)
    for (const auto& [i, side_i] : list)
      for (const auto& [j, side_j] : list)
        if (i < j) b.lu.connect(i, j);
  b.lu.analyze();
  b.lu.zero();
  for (std::size_t k = 0; k < b.on_body.size(); ++k)
    for (const auto& [i, side_i] : b.on_body[k])
      for (const auto& [j, side_j] : b.on_body[k])
        add_coupling(b.problem.bodies[k], b.inverse[k].value, constraints[base::at(i)], side_i,
                     constraints[base::at(j)], side_j,
                     i == j ? b.lu.diagonal(i) : b.lu.block(i, j));
  b.mu.assign(base::at(b.problem.rows()), 0.0);
  for (std::size_t i = 0; i < constraints.size(); ++i)
    for (int r = 0; r < constraints[i].rows; ++r) {
      b.lu.diagonal(static_cast<int>(i))[r][r] *= 1 + redundant_pivot;
      b.mu[base::at(b.problem.first_row[i] + r)] = -constraints[i].b[r];
    }
  b.book(work_of_body * static_cast<double>(b.problem.bodies.size()) + b.lu.products() +
         b.lu.solve_products());
  return b.lu.factorize();
}

// M d = J^T mu of the joints, in v.
void apply_joints(const Model& model, ProjectionBuffers& b) {
  const std::vector<Constraint>& constraints = b.problem.constraints;
  b.v.setZero(model.velocities);
  for (std::size_t k = 0; k < b.on_body.size(); ++k) {
    const ProblemBody& body = b.problem.bodies[k];
    double push[max_velocities] = {};
    for (const auto& [i, side] : b.on_body[k])
      linear::add_transposed(constraints[base::at(i)].J[side], constraints[base::at(i)].rows,
                             body.size, &b.mu[base::at(b.problem.first_row[base::at(i)])], push);
    for (int r = 0; r < body.size; ++r)
      b.v[body.first + r] = linear::row_product(b.inverse[k].value[r], body.size, push);
  }
}

// One Newton step of (E38): M d = J^T mu, J d = -Theta. d is left in v.
bool newton_step(const Model& model, ProjectionBuffers& b, std::span<const Pose> poses) {
  if (!factorize_joints(model, b, poses)) return false;
  b.lu.solve(b.problem.first_row, b.mu.data());
  apply_joints(model, b);
  return b.v.allFinite();
}

// What unit pushes of the contacts do (E320), by columns of W where they are needed (E730).
struct Pushes {
  ProjectionBuffers& b;
  std::span<const Constraint> contacts;  // after the joints in b.problem

  // M^-1 J^T of one side of a contact, on body k of the problem.
  void push_of(const Constraint& c, std::size_t side, double (&push)[max_velocities]) const {
    const std::size_t k = base::at(c.body[side]);
    for (int r = 0; r < b.problem.bodies[k].size; ++r)
      push[r] = linear::row_product(b.inverse[k].value[r], b.problem.bodies[k].size, c.J[side][0]);
  }

  // Calls f(side, k, push) for the sides of a contact that can move.
  template <class F>
  void each_side(const Constraint& c, const F& f) const {
    for (std::size_t side = 0; side < 2; ++side) {
      if (c.body[side] < 0) continue;
      double push[max_velocities];
      push_of(c, side, push);
      f(side, base::at(c.body[side]), push);
    }
  }

  // r, and on which joints each push acts.
  void begin() {
    const std::size_t n = contacts.size();
    b.contacts.begin(n);
    if (b.response.size() < n) b.response.resize(n);
    if (b.coupling.size() < n) b.coupling.resize(n);
    for (std::size_t i = 0; i < n; ++i) {
      const Constraint& c = contacts[i];
      b.response[i].clear();
      b.coupling[i].clear();
      b.contacts.r[i] = c.b[0];
      each_side(c, [&](std::size_t side, std::size_t k, const double* push) {
        const ProblemBody& body = b.problem.bodies[k];
        b.contacts.r[i] += linear::row_product(c.J[side][0], body.size, b.v.data() + body.first);
        for (const auto& [j, side_j] : b.on_body[k]) {
          const Constraint& joint = b.problem.constraints[base::at(j)];
          linear::add_product(joint.J[side_j], joint.rows, body.size, push, rows_on(i, j));
        }
      });
    }
  }

  // The rows of the push of contact i on joint j.
  double* rows_on(std::size_t i, int j) {
    for (ProjectionBuffers::JointPush& push : b.coupling[i])
      if (push.joint == j) return push.rows;
    return b.coupling[i].emplace_back(ProjectionBuffers::JointPush{j, {}}).rows;
  }

  // The push of contact i on the joints times the response to that of contact m.
  double through_joints(std::size_t i, std::size_t m) const {
    double sum = 0;
    for (const ProjectionBuffers::JointPush& push : b.coupling[i]) {
      const std::size_t j = base::at(push.joint), first = base::at(b.problem.first_row[j]);
      for (std::size_t r = 0; r < base::at(b.problem.constraints[j].rows); ++r)
        sum += push.rows[r] * b.response[m][first + r];
    }
    return sum;
  }

  void find_column(std::size_t i) {
    const std::size_t n = contacts.size();
    b.response[i].assign(b.mu.size(), 0.0);
    for (const ProjectionBuffers::JointPush& push : b.coupling[i])
      std::copy_n(push.rows, b.problem.constraints[base::at(push.joint)].rows,
                  b.response[i].begin() + b.problem.first_row[base::at(push.joint)]);
    b.lu.solve(b.problem.first_row, b.response[i].data());
    for (std::size_t m = 0; m < n; ++m) b.contacts.W(m, i) = 0;
    each_side(contacts[i], [&](std::size_t, std::size_t k, const double* push) {
      for (std::size_t m = 0; m < n; ++m)
        for (std::size_t side = 0; side < 2; ++side)
          if (contacts[m].body[side] == static_cast<int>(k))
            b.contacts.W(m, i) +=
                linear::row_product(contacts[m].J[side][0], b.problem.bodies[k].size, push);
    });
    // What no push can open, because the joints hold it.
    const double alone = b.contacts.W(i, i);
    for (std::size_t m = 0; m < n; ++m) b.contacts.W(m, i) -= through_joints(m, i);
    if (!(b.contacts.W(i, i) > held * alone)) b.contacts.W(i, i) = 0;
    // Symmetric, whichever of two columns came first.
    for (std::size_t m = 0; m < n; ++m)
      if (!b.response[m].empty())
        b.contacts.W(std::min(m, i), std::max(m, i)) = b.contacts.W(std::max(m, i), std::min(m, i));
  }

  // M^-1 J^T x of the contacts, added to v.
  void add_shifts() {
    for (std::size_t i = 0; i < contacts.size(); ++i) {
      const double x = b.contacts.x[i];
      if (!(x > 0)) continue;
      each_side(contacts[i], [&](std::size_t, std::size_t k, const double* push) {
        const ProblemBody& body = b.problem.bodies[k];
        for (int r = 0; r < body.size; ++r) b.v[body.first + r] += x * push[r];
      });
    }
  }
};

}  // namespace

double open_error(const Model& model, std::span<const Pose> poses) {
  double largest = 0;
  for (const Joint& joint : model.joints) {
    const JointError error = joint_error(poses, joint);
    largest = std::max({largest, error.distance, error.angle * model.length_unit});
  }
  for (const Gear& gear : model.gears)
    largest = std::max(largest, (gear.angle ? model.length_unit : 1) *
                                    std::abs(model::gear_error(model, poses, gear)));
  return largest;
}

double anchor_error(const AnchorRows& anchor, std::span<const Pose> poses) {
  return apart(anchor, poses).cwiseAbs().maxCoeff();
}

double anchor_error(std::span<const AnchorRows> anchors, std::span<const Pose> poses) {
  double largest = 0;
  for (const AnchorRows& anchor : anchors) largest = std::max(largest, anchor_error(anchor, poses));
  return largest;
}

double coordinate_error(const Model& model, std::span<const KeptCoordinate> coordinates,
                        std::span<const Pose> poses) {
  double largest = 0;
  for (const KeptCoordinate& kept : coordinates)
    largest = std::max(largest, std::abs(apart(model, kept, poses)));
  return largest;
}

double extent(const Model& model, std::span<const Pose> poses) {
  double size = model.length_unit;
  for (const Pose& pose : poses) size = std::max(size, pose.p.cwiseAbs().maxCoeff());
  return size;
}

void try_shift(const Model& model, std::span<const Pose> poses, double t, ProjectionBuffers& b) {
  for (std::size_t k = 0; k < model.bodies.size(); ++k) {
    const Body& body = model.bodies[k];
    if (body.velocities > 0)
      b.trial[k] = dynamics::advanced(body, poses[k], b.shift.data() + body.first_velocity, t);
  }
}

// The joints are eliminated: the pushes of the contacts are those of a small nonnegative problem.
bool find_shift(const Model& model, ProjectionBuffers& b, std::span<const Pose> poses,
                std::span<const GapBound> bounds) {
  if (!newton_step(model, b, poses)) return false;
  const std::size_t joints = b.problem.constraints.size(), n = bounds.size();
  for (const GapBound& bound : bounds) {
    CAIRN_DCHECK(bound.contact.rows == 1, bound.contact.rows);
    add_contact(model, poses, b.layout, bound.contact, 0,
                Vec3(bound.contact.gap - bound.least, 0, 0), b.problem);
  }
  Pushes pushes{b, std::span<const Constraint>(b.problem.constraints).subspan(joints)};
  pushes.begin();
  const bool solved = b.contacts.solve([&](std::size_t i) { pushes.find_column(i); });
  b.book(work_of_contact * static_cast<double>(n) +
         b.lu.solve_products() * static_cast<double>(b.contacts.columns()));
  if (!solved) return false;
  for (std::size_t i = 0; i < n; ++i)
    for (std::size_t k = 0; k < b.response[i].size(); ++k)
      b.mu[k] -= b.response[i][k] * b.contacts.x[i];
  apply_joints(model, b);
  pushes.add_shifts();
  to_model_velocities(model, b.problem, b.v, b.shift);
  return b.v.allFinite();
}

bool project_onto_joints(const Model& model, ProjectionBuffers& b, std::vector<Pose>& poses) {
  CAIRN_DCHECK(poses.size() == model.bodies.size(), poses.size());
  CAIRN_DCHECK(base::are_rotations(poses));
  // Positions carry rounding of their own size; below that nothing can be gained.
  const double size = extent(model, poses), enough = 4e-16 * size;
  const auto error_at = [&](std::span<const Pose> at) {
    return std::max({open_error(model, at), anchor_error(b.anchors, at),
                     coordinate_error(model, b.coordinates, at)});
  };
  double error = error_at(poses);
  for (int i = 0; error > enough && i < max_newton_steps; ++i) {
    if (!newton_step(model, b, poses)) break;
    to_model_velocities(model, b.problem, b.v, b.shift);
    b.trial = poses;
    double next = 0;
    // A full step as a rule; half of it where the joints are far open and the step overshoots.
    for (double t = 1; t > 0.01; t *= 0.5) {
      try_shift(model, poses, t, b);
      next = error_at(b.trial);
      if (next < error) break;
    }
    if (!(next < error)) break;
    poses.swap(b.trial);
    error = next;
  }
  const bool alone = b.anchors.empty() && b.coordinates.empty();
  return (alone ? error : open_error(model, poses)) <= 1e-9 * size;
}

}  // namespace cairn::constrain
