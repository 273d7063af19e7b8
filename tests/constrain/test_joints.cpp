// The rows of a joint are the derivatives of its errors.
#include <cmath>
#include <gtest/gtest.h>
#include <random>

#include "constrain/joints.hpp"
#include "dynamics/kinematics.hpp"

namespace cairn::test_joints {
namespace {

class Random {
 public:
  explicit Random(std::uint64_t seed) : engine_(seed) {}
  double uniform(double size) {
    return size * (static_cast<double>(engine_() >> 11) * 0x1p-52 - 1);
  }
  Vec3 vector(double size) {
    const double x = uniform(size), y = uniform(size);
    return {x, y, uniform(size)};
  }
  Quat rotation() { return exp_rotation(vector(2)); }

 private:
  std::mt19937_64 engine_;
};

enum class End { world, point, planar, tilted_planar, spatial };

// Bodies with the velocities of each kind of end. A tilted planar body moves in the x-y plane, but
// its frame is turned out of it.
Body body_of(End end) {
  Body body;
  body.mass = 2;
  body.inertia_B = Vec3(1, 2, 3).asDiagonal();
  if (end == End::point) body.rotation = RotationKind::none;
  if (end == End::planar || end == End::tilted_planar) {
    body.translations = {true, true, false};
    body.rotation = RotationKind::one;
  }
  body.velocities = end == End::spatial ? 6 : 3;
  return body;
}

bool planar(End end) {
  return end == End::planar || end == End::tilted_planar;
}

// Two bodies, a joint between them that is closed, and where they are.
struct Pair {
  Model model;
  std::vector<Pose> poses;
  Joint joint;
};

// Places the second body so that the joint is closed; the free coordinates are random. A world end
// is the first.
Pair closed_pair(const JointType& type, End first, End second, Random& random) {
  Pair pair;
  Joint& joint = pair.joint;
  joint.type = type;
  const bool flat = planar(first) || planar(second);
  auto in_plane = [&](Vec3 v) {
    if (flat) v.z() = 0;
    return v;
  };
  auto turn = [&](const Vec3& axis) { return exp_rotation(random.uniform(2) * axis); };
  Pose A;
  if (first != End::world) A.p = in_plane(random.vector(2));
  if (first == End::planar) A.R = turn(Vec3::UnitZ());
  if (first == End::spatial || first == End::tilted_planar) A.R = random.rotation();
  // The axis in the world: what a planar pair allows, or any.
  const bool slides = std::holds_alternative<PrismaticJoint>(type);
  Vec3 axis = random.vector(1).normalized();
  if (flat) axis = slides ? Vec3(in_plane(axis).normalized()) : Vec3(Vec3::UnitZ());
  Pose B;
  if (second == End::planar) B.R = turn(Vec3::UnitZ());
  if (second == End::spatial || second == End::tilted_planar) B.R = random.rotation();
  joint.R_AB = A.R.conjugate() * B.R;
  joint.axes = {A.R.conjugate() * axis, B.R.conjugate() * axis};
  // A free rotation is in use.
  if (std::holds_alternative<RevoluteJoint>(type) && second != End::point) B.R = turn(axis) * B.R;
  if (std::holds_alternative<BallJoint>(type) && second == End::spatial)
    B.R = random.rotation() * B.R;

  // Anchors: random on the first body, on the second one where they have to be.
  const Vec3 a = A.p + in_plane(random.vector(1));
  Vec3 b = a;
  if (slides) b += random.uniform(1) * axis;
  B.p = b + in_plane(random.vector(1));
  if (auto* rod = std::get_if<DistanceJoint>(&joint.type)) {
    b += (1 + random.uniform(0.5)) * in_plane(random.vector(1)).normalized();
    rod->length = (b - a).norm();
  }
  joint.anchors = {A.inverse() * a, B.inverse() * b};

  pair.model.length_unit = 4;  // not one, so that a forgotten unit shows
  for (const auto& [end, X] : {std::pair{first, A}, std::pair{second, B}}) {
    if (end == End::world) continue;
    Body body = body_of(end);
    body.R_WB0 = X.R;
    body.first_velocity = pair.model.velocities;
    pair.model.velocities += body.velocities;
    pair.model.bodies.push_back(body);
    pair.poses.push_back(X);
  }
  const auto last = static_cast<BodyId>(pair.poses.size() - 1);
  joint.bodies = {first == End::world ? BodyId::world : BodyId{}, last};
  pair.model.joints = {joint};
  return pair;
}

// Opens the joint by moving every body by at most `size` in each of its free directions.
void disturb(Pair& pair, double size, Random& random) {
  for (std::size_t i = 0; i < pair.poses.size(); ++i) {
    double v[6];
    for (double& x : v) x = random.uniform(size);
    pair.poses[i] = dynamics::advanced(pair.model.bodies[i], pair.poses[i], v, 1);
  }
}

// Errors along directions, then about axes, the latter as lengths.
std::vector<double> errors(const Pair& pair, const std::vector<Pose>& poses) {
  const constrain::JointRows rows = constrain::joint_rows(poses, pair.joint);
  std::vector<double> all(rows.gap.begin(), rows.gap.begin() + rows.directions);
  for (int i = 0; i < rows.axes; ++i)
    all.push_back(rows.angle[static_cast<std::size_t>(i)] * pair.model.length_unit);
  return all;
}

// One row per error, one column per velocity: central differences over +-step.
Eigen::MatrixXd differences(const Pair& pair, double step) {
  Eigen::MatrixXd D(static_cast<Eigen::Index>(errors(pair, pair.poses).size()),
                    pair.model.velocities);
  for (std::size_t i = 0; i < pair.poses.size(); ++i) {
    const Body& body = pair.model.bodies[i];
    for (int k = 0; k < body.velocities; ++k) {
      double v[6] = {};
      v[k] = 1;
      std::vector<Pose> ahead = pair.poses, behind = pair.poses;
      ahead[i] = dynamics::advanced(body, pair.poses[i], v, step);
      behind[i] = dynamics::advanced(body, pair.poses[i], v, -step);
      const std::vector<double> plus = errors(pair, ahead), minus = errors(pair, behind);
      for (std::size_t row = 0; row < plus.size(); ++row)
        D(static_cast<Eigen::Index>(row), body.first_velocity + k) =
            (plus[row] - minus[row]) / (2 * step);
    }
  }
  return D;
}

// The rows that add_joint appends, in SI, and their constant terms.
struct Rows {
  Eigen::MatrixXd J;
  VecX error;
};
Rows problem_rows(const Pair& pair) {
  Problem problem;
  constrain::ProblemLayout layout;
  std::vector<constrain::JointRowTerms> terms;
  constrain::assemble_bodies(pair.model, VecX::Zero(pair.model.velocities), 1, layout, problem);
  constrain::add_joint(pair.model, pair.poses, pair.poses, layout, JointId{}, 1, 1, problem, terms);
  Rows rows{Eigen::MatrixXd::Zero(problem.rows(), pair.model.velocities), VecX(problem.rows())};
  for (std::size_t c = 0; c < problem.constraints.size(); ++c) {
    const Constraint& constraint = problem.constraints[c];
    for (int r = 0; r < constraint.rows; ++r) {
      const int row = problem.first_row[c] + r;
      rows.error[row] = constraint.b[r] * problem.units.speed();
      for (std::size_t side = 0; side < 2; ++side) {
        if (constraint.body[side] < 0) continue;
        const ProblemBody& b = problem.bodies[static_cast<std::size_t>(constraint.body[side])];
        const Body& body = pair.model.bodies[static_cast<std::size_t>(b.model_body)];
        const int linear = body.velocities == 6 || body.rotation == RotationKind::none ? 3 : 2;
        for (int k = 0; k < b.size; ++k)
          rows.J(row, b.first + k) =
              constraint.J[side][r][k] * (k < linear ? 1 : pair.model.length_unit);
      }
    }
  }
  return rows;
}

// Rows that no velocity can change are left out of the problem. In a closed pair the derivative of
// such an error is zero in all figures but the rounding of the difference.
constexpr double step = 1e-5;
constexpr double moving = 1e-6;

// Compares the rows with the differences to `tolerance`; returns the number of rows.
int compare(const Pair& pair, double tolerance, const std::string& where) {
  const Eigen::MatrixXd D = differences(pair, step);
  const std::vector<double> error = errors(pair, pair.poses);
  const Rows rows = problem_rows(pair);
  Eigen::Index next = 0;
  for (Eigen::Index i = 0; i < D.rows(); ++i) {
    if (D.row(i).cwiseAbs().maxCoeff() < moving + tolerance) continue;
    if (next == rows.J.rows()) {
      ADD_FAILURE() << where << ": a row is missing";
      return 0;
    }
    EXPECT_LE((rows.J.row(next) - D.row(i)).cwiseAbs().maxCoeff(), tolerance)
        << where << " row " << i << "\n"
        << rows.J.row(next) << "\n"
        << D.row(i);
    EXPECT_NEAR(rows.error[next], error[static_cast<std::size_t>(i)], 1e-15) << where;
    ++next;
  }
  EXPECT_EQ(next, rows.J.rows()) << where << ": a row that moves nothing\n" << rows.J;
  return static_cast<int>(next);
}

struct Case {
  JointType type;
  End first, second;
  int rows;  // that the joint takes from the pair
};

// Planar bodies have two translations and one rotation, so that a hinge takes 2 of them; a point
// has no rotation for a hinge to hold, and a slide holds it on a line.
std::vector<Case> cases() {
  std::vector<Case> all;
  for (const End first : {End::world, End::point, End::planar, End::tilted_planar, End::spatial})
    for (const End second : {End::point, End::planar, End::tilted_planar, End::spatial}) {
      // Where a planar body meets one that is not, the joint has to hold out of the plane as well.
      const bool flat = (planar(first) || first == End::world) && planar(second);
      const bool turns = first == End::spatial || second == End::spatial;
      if (planar(first) != planar(second) && first != End::world) continue;
      const bool points = !turns && !flat;
      all.push_back({DistanceJoint{}, first, second, 1});
      all.push_back({BallJoint{}, first, second, flat ? 2 : 3});
      all.push_back({RevoluteJoint{}, first, second, flat ? 2 : points ? 3 : 5});
      all.push_back({PrismaticJoint{}, first, second, flat || points ? 2 : 5});
      all.push_back({FixedJoint{}, first, second, flat || points ? 3 : 6});
    }
  return all;
}

std::string text(const Case& c) {
  static constexpr const char* ends[] = {"world", "point", "planar", "tilted planar", "spatial"};
  return std::string(type_name(c.type)) + " " + ends[static_cast<int>(c.first)] + "-" +
         ends[static_cast<int>(c.second)];
}

// Central differences err by step^2/6 times the third derivative (errors are at most 5 lengths or
// length units times sines of angles, a rod is at least 0.5 m long: below 40 m) and by the rounding
// 1e-15 of an error over the step: 7e-10 + 1e-10.
TEST(JointRows, AreTheDerivativesOfTheErrorsOfAClosedJoint) {
  Random random(1);
  for (const Case& c : cases())
    for (int i = 0; i < 50; ++i) {
      const Pair pair = closed_pair(c.type, c.first, c.second, random);
      for (const double error : errors(pair, pair.poses)) ASSERT_NEAR(error, 0, 1e-14) << text(c);
      ASSERT_EQ(compare(pair, 1e-9, text(c)), c.rows) << text(c);
    }
}

// In an open joint the rows are those of the closed one near it. For a unit velocity the directions
// across an axis turn with at most 2.3 rad/s (they are built on the axis farthest from it), z_a x
// z_b loses 1 - cos and gains the tilt itself, a rotation vector e turns with w - e x w/2: together
// at most 3.5 times the error. Rods and ball joints have the exact rows everywhere.
TEST(JointRows, AreTheDerivativesUpToTheErrorOfAnOpenJoint) {
  Random random(2);
  for (const Case& c : cases())
    for (const double size : {1e-2, 1e-4, 1e-6}) {
      Pair pair = closed_pair(c.type, c.first, c.second, random);
      disturb(pair, size, random);
      const constrain::JointError error = constrain::joint_error(pair.poses, pair.joint);
      const bool exact = std::holds_alternative<DistanceJoint>(c.type) ||
                         std::holds_alternative<BallJoint>(c.type);
      const double open = error.distance + error.angle * pair.model.length_unit;
      EXPECT_GT(open, 0.01 * size) << text(c);
      ASSERT_EQ(compare(pair, 1e-9 + (exact ? 0 : 3.5 * open), text(c)), c.rows) << text(c);
    }
}

}  // namespace
}  // namespace cairn::test_joints
