// Contacts and joints as rows: each is the velocity it claims to be, seen by finite differences.
#include <Eigen/LU>
#include <cmath>

#include "constrain/joints.hpp"
#include "constrain/memory.hpp"
#include "dynamics/bodies.hpp"
#include "dynamics/kinematics.hpp"

namespace cairn::test_rows {
namespace {

using bodies::Random;

constexpr double step_length = 1e-5;       // of the central differences [s]
constexpr double difference_error = 1e-8;  // h^2 |w|^3 |r| / 6 and 1e-16 |p| / h

// Two bodies (a moves, b moves or is fixed) and a contact at a random place between them.
struct Pair {
  BuiltModel model;
  State state;
  Contact contact;
};

Pair random_pair(Random& random, const std::string& dof_a, const std::string& dof_b) {
  Pair pair;
  ModelDescription description;
  description.bodies = {bodies::box(random, "a", dof_a), bodies::box(random, "b", dof_b)};
  pair.model = bodies::built(description);
  pair.state = bodies::random_state(random, pair.model);
  Contact& c = pair.contact;
  c.key = {BodyId{0}, BodyId{1}, ShapeId{0}, ShapeId{1}, 0};
  c.p_WC = bodies::vector(random);
  c.n_W = bodies::vector(random).normalized();
  const Tangents t = tangents(c.n_W);
  c.t1_W = t.t1;
  c.t2_W = t.t2;
  c.friction = 0.5;
  return pair;
}

// Position of the material point of body i that is at p_WC now, after the time s.
Vec3 carried(const Pair& pair, std::size_t i, double s) {
  const Body& body = pair.model.model->bodies[i];
  const Pose& X = pair.state.poses[i];
  const Vec3 local = X.inverse() * pair.contact.p_WC;
  return dynamics::advanced(body, X, pair.state.v.data() + body.first_velocity, s) * local;
}

// The state's velocities in the problem's units.
VecX problem_velocities(const Model& model, const Problem& problem, const VecX& v) {
  VecX scaled = v;
  for (const Body& body : model.bodies) {
    const auto linear = std::count(body.translations.begin(), body.translations.end(), true);
    for (int k = 0; k < body.velocities; ++k)
      scaled[body.first_velocity + k] *=
          k < linear ? 1 / problem.units.speed() : problem.units.time;
  }
  return scaled;
}

// J v of a constraint.
Vec3 row_velocity(const Problem& problem, const Constraint& c, const VecX& v) {
  Vec3 w = Vec3::Zero();
  for (std::size_t side = 0; side < 2; ++side) {
    if (c.body[side] < 0) continue;
    const ProblemBody& body = problem.bodies[static_cast<std::size_t>(c.body[side])];
    for (int r = 0; r < c.rows; ++r)
      for (int k = 0; k < body.size; ++k) w[r] += c.J[side][r][k] * v[body.first + k];
  }
  return w;
}

// J v along n, t1, t2 is the relative velocity of the two material points: b's minus a's.
TEST(ContactRows, GiveTheRelativeVelocityOfTheMaterialPoints) {
  Random random(1);
  for (const std::string& dof_a : bodies::freedoms())
    for (const std::string& dof_b : bodies::freedoms()) {
      SCOPED_TRACE(dof_a + " | " + dof_b);
      Pair pair = random_pair(random, dof_a, dof_b);
      const Model& model = *pair.model.model;
      constrain::orient(model, pair.state.poses, pair.contact);
      if (pair.contact.rows == 0) continue;
      constrain::ProblemLayout layout;
      Problem problem;
      constrain::assemble_bodies(model, pair.state.v, 0.01, layout, problem);
      constrain::add_contact(model, pair.state.poses, layout, pair.contact, 0, Vec3(0.1, 0.2, 0.3),
                             problem);
      const Constraint& row = problem.constraints.back();
      const VecX v = problem_velocities(model, problem, pair.state.v);
      const Vec3 w = row_velocity(problem, row, v);
      const double h = step_length;
      const Vec3 relative = ((carried(pair, 1, h) - carried(pair, 1, -h)) -
                             (carried(pair, 0, h) - carried(pair, 0, -h))) /
                            (2 * h);
      const Vec3 directions[3] = {pair.contact.n_W, pair.contact.t1_W, pair.contact.t2_W};
      for (int r = 0; r < row.rows; ++r) {
        EXPECT_NEAR(w[r] * problem.units.speed(), directions[r].dot(relative), difference_error);
        EXPECT_NEAR(row.b[r] * problem.units.speed(), 0.1 * (r + 1), 1e-15);
      }
    }
}

// k and A of the assembled bodies give v_free back: A^-1 k in SI.
TEST(Assembly, FreeVelocitiesComeBack) {
  Random random(2);
  for (const std::string& dof : bodies::freedoms()) {
    const Pair pair = random_pair(random, dof, "x y z rx ry rz");
    constrain::ProblemLayout layout;
    Problem problem;
    constrain::assemble_bodies(*pair.model.model, pair.state.v, 0.013, layout, problem);
    VecX v(problem.velocities()), back;
    for (const ProblemBody& b : problem.bodies) {
      Eigen::MatrixXd A(b.size, b.size);
      for (int r = 0; r < b.size; ++r)
        for (int c = 0; c < b.size; ++c) A(r, c) = b.A[r][c];
      v.segment(b.first, b.size) = A.partialPivLu().solve(problem.k.segment(b.first, b.size));
    }
    constrain::to_model_velocities(*pair.model.model, problem, v, back);
    EXPECT_LE((back - pair.state.v).norm(), 1e-14 * (1 + pair.state.v.norm())) << dof;
  }
}

// The gap of two spheres changes with n . (relative velocity): central differences of the distance.
TEST(ContactRows, NormalRowIsTheRateOfTheGap) {
  Random random(3);
  for (int trial = 0; trial < 100; ++trial) {
    Pair pair = random_pair(random, "x y z rx ry rz", "x y z rx ry rz");
    const Model& model = *pair.model.model;
    // Spheres sit at the body frames' origins, away from the centres of mass.
    const auto centre = [&](std::size_t i, double s) {
      const Body& body = model.bodies[i];
      const Pose X = dynamics::advanced(body, pair.state.poses[i],
                                        pair.state.v.data() + body.first_velocity, s);
      return Vec3(X * -body.p_Bcm);
    };
    const auto gap = [&](double s) { return (centre(1, s) - centre(0, s)).norm() - 1; };
    Contact& c = pair.contact;
    c.n_W = (centre(1, 0) - centre(0, 0)).normalized();
    c.p_WC = centre(0, 0) + (0.5 + 0.5 * gap(0)) * c.n_W;  // the middle of the witness points
    const Tangents t = tangents(c.n_W);
    c.t1_W = t.t1;
    c.t2_W = t.t2;
    constrain::orient(model, pair.state.poses, c);
    constrain::ProblemLayout layout;
    Problem problem;
    constrain::assemble_bodies(model, pair.state.v, 0.01, layout, problem);
    constrain::add_contact(model, pair.state.poses, layout, c, 0, Vec3::Zero(), problem);
    const Vec3 w = row_velocity(problem, problem.constraints[0],
                                problem_velocities(model, problem, pair.state.v));
    const double h = step_length, rate = (gap(h) - gap(-h)) / (2 * h);
    EXPECT_NEAR(w[0] * problem.units.speed(), rate, difference_error / std::abs(gap(0) + 1));
  }
}

// Tangents along which something can move, and as many rows as that takes.
TEST(Orient, PicksMovableTangents) {
  Random random(4);
  struct Expected {
    const char* dof;
    Vec3 n;
    int rows;
  };
  // One freedom along the normal leaves none to rub; a second one in the plane gives one tangent.
  for (const Expected& e :
       {Expected{"x y z rx ry rz", Vec3(0, 0, 1), 3}, Expected{"x y z", Vec3(0, 0, 1), 3},
        Expected{"x y rz", Vec3(0, 1, 0), 2}, Expected{"x y", Vec3(0, 1, 0), 2},
        Expected{"x y", Vec3(1, 1, 0).normalized(), 2}, Expected{"y z rx", Vec3(0, 0, 1), 2},
        Expected{"y", Vec3(0, 1, 0), 1}, Expected{"y", Vec3(0, 0, 1), 0},
        Expected{"y", Vec3(0, 1, 1).normalized(), 2}, Expected{"x y", Vec3(0, 0, 1), 0}}) {
    SCOPED_TRACE(e.dof);
    ModelDescription description;
    BodyDescription floor;
    floor.name = "a";
    floor.fixed = true;
    floor.shapes = {{.geometry = Halfspace{.normal = e.n}, .X_BS = {}}};
    BodyDescription ball = bodies::box(random, "b", e.dof);
    ball.center_of_mass = Vec3::Zero();
    ball.position = 0.5 * e.n;
    description.bodies = {floor, ball};
    const BuiltModel model = bodies::built(description);
    Contact c;
    c.key = {BodyId{0}, BodyId{1}, ShapeId{0}, ShapeId{1}, 0};
    c.n_W = e.n;
    const Tangents t = tangents(c.n_W);
    c.t1_W = t.t1;
    c.t2_W = t.t2;
    c.friction = 0.5;
    constrain::orient(*model.model, model.initial->poses, c);
    EXPECT_EQ(c.rows, e.rows);
    if (c.rows == 0) continue;
    Mat3 frame;
    frame << c.n_W, c.t1_W, c.t2_W;
    EXPECT_LE((frame.transpose() * frame - Mat3::Identity()).norm(), 4e-15);
    EXPECT_NEAR(frame.determinant(), 1, 4e-15);  // right-handed
    if (c.rows != 2) continue;
    // The second tangent is the one that nothing moves along.
    constrain::ProblemLayout layout;
    Problem problem;
    constrain::assemble_bodies(*model.model, model.initial->v, 0.01, layout, problem);
    Contact across = c;
    across.t1_W = c.t2_W;
    constrain::add_contact(*model.model, model.initial->poses, layout, across, 0, Vec3::Zero(),
                           problem);
    for (int k = 0; k < problem.bodies[0].size; ++k)
      EXPECT_NEAR(problem.constraints[0].J[1][1][k], 0, 1e-15);
    // Without friction one row is enough.
    Contact smooth = c;
    smooth.friction = 0;
    constrain::orient(*model.model, model.initial->poses, smooth);
    EXPECT_EQ(smooth.rows, 1);
  }
}

// J v of a joint is the rate of its error; b is its share of the error per step.
TEST(JointRows, AreTheDerivativeOfTheError) {
  Random random(5);
  for (const std::string& dof : bodies::freedoms())
    for (const bool to_world : {false, true}) {
      SCOPED_TRACE(dof);
      ModelDescription description;
      description.bodies = {bodies::box(random, "a", dof), bodies::box(random, "b", dof)};
      JointDescription rod;
      rod.name = "rod";
      rod.bodies = {to_world ? "world" : "a", "b"};
      rod.anchors = {bodies::vector(random), bodies::vector(random)};
      // Built with the initial distance, then moved apart: the error is not zero.
      rod.type = DistanceJoint{};
      description.joints = {rod};
      const BuiltModel built = bodies::built(description);
      const Model& model = *built.model;
      const State state = bodies::random_state(random, built);
      constrain::ProblemLayout layout;
      Problem problem;
      std::vector<constrain::JointRowTerms> terms;
      const double h = 0.01, gamma = 0.8;
      constrain::assemble_bodies(model, state.v, h, layout, problem);
      constrain::add_joint(model, state.poses, state.poses, layout, JointId{0}, gamma, h, problem,
                           terms);
      const double error = terms[0].error;
      const auto error_at = [&](double s) {
        std::vector<Pose> poses;
        for (std::size_t i = 0; i < model.bodies.size(); ++i)
          poses.push_back(dynamics::advanced(model.bodies[i], state.poses[i],
                                             state.v.data() + model.bodies[i].first_velocity, s));
        return constrain::joint_rows(poses, model.joints[0]).gap[0];
      };
      const double w = row_velocity(problem, problem.constraints[0],
                                    problem_velocities(model, problem, state.v))[0];
      const double d = step_length, rate = (error_at(d) - error_at(-d)) / (2 * d);
      EXPECT_NEAR(w * problem.units.speed(), rate, 10 * difference_error);
      EXPECT_EQ(std::abs(error), constrain::joint_error(state.poses, model.joints[0]).distance);
      EXPECT_EQ(terms[0].motion, 0);
      EXPECT_NEAR(problem.constraints[0].b[0] * problem.units.speed(), gamma * error / h,
                  1e-14 * (1 + std::abs(error) / h));
    }
}

// What is remembered in the world comes back in a turned contact frame; contacts that are gone or
// new do not disturb the others.
TEST(Memory, RoundTrip) {
  Random random(6);
  Pair pair = random_pair(random, "x y z rx ry rz", "x y z rx ry rz");
  const Model& model = *pair.model.model;
  std::vector<Contact> contacts;
  for (int i = 0; i < 5; ++i) {
    Contact c = pair.contact;
    c.key.feature.b = 2 * static_cast<std::uint32_t>(i);
    c.rows = i == 4 ? 1 : 3;
    contacts.push_back(c);
  }
  const auto assembled = [&](const std::vector<Contact>& list) {
    constrain::ProblemLayout layout;
    Problem problem;
    constrain::assemble_bodies(model, pair.state.v, 0.01, layout, problem);
    for (const Contact& c : list)
      constrain::add_contact(model, pair.state.poses, layout, c, 0, Vec3::Zero(), problem);
    return problem;
  };
  const Problem problem = assembled(contacts);
  VecX lambda = VecX::Random(problem.rows()).cwiseAbs();
  lambda.segment<3>(3).setZero();  // the second contact carries nothing
  std::vector<ImpulseMemory> memory;
  constrain::remember(problem, contacts, {}, lambda, memory);
  EXPECT_EQ(memory.size(), 4u);
  EXPECT_TRUE(of_role(memory, Role::joint).empty());
  EXPECT_EQ(find(memory, contact_key(contacts[1].key)), nullptr);
  EXPECT_EQ(find(memory, contact_key(contacts[2].key)), &memory[1]);
  VecX back;
  constrain::recall(problem, contacts, {}, memory, back);
  EXPECT_LE((back - lambda).norm(), 1e-15 * lambda.norm());

  // The first contact is gone, a new one comes, the third has turned tangents.
  std::vector<Contact> later = {contacts[1], contacts[2], contacts[2], contacts[3], contacts[4]};
  later[2].key.feature.b = 5;
  const Quat turn(Eigen::AngleAxisd(0.8, contacts[2].n_W));
  later[1].t1_W = turn * contacts[2].t1_W;
  later[1].t2_W = turn * contacts[2].t2_W;
  const Problem next = assembled(later);
  constrain::recall(next, later, {}, memory, back);
  EXPECT_EQ(back.segment<3>(0).norm(), 0);
  EXPECT_EQ(back.segment<3>(6).norm(), 0);
  EXPECT_LE((back.segment<3>(9) - lambda.segment<3>(9)).norm(), 1e-15 * lambda.norm());
  EXPECT_NEAR(back[12], lambda[12], 1e-15);
  const Vec3 before =
      lambda[6] * contacts[2].n_W + lambda[7] * contacts[2].t1_W + lambda[8] * contacts[2].t2_W;
  const Vec3 after = back[3] * later[1].n_W + back[4] * later[1].t1_W + back[5] * later[1].t2_W;
  EXPECT_LE((before - after).norm(), 4e-15);
}

}  // namespace
}  // namespace cairn::test_rows
