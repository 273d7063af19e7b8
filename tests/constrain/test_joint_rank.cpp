// The rank of joints together (E80): known by counting degrees of freedom.
#include <cmath>

#include "cairn/joints.hpp"
#include "scheme/mechanisms.hpp"

namespace cairn::test_joint_rank {
namespace {

using namespace mechanisms;

JointRank rank_of(const ModelDescription& d) {
  const BuiltModel model = built(d);
  return joint_rank(*model.model, *model.initial);
}

// A free hinge takes 5 of 6 freedoms, a ball 3, a rod 1, a slide 5, a weld 6.
TEST(JointRank, OfOneJointIsItsRows) {
  const std::pair<JointType, int> cases[] = {
      {RevoluteJoint{}, 5}, {BallJoint{}, 3}, {PrismaticJoint{}, 5}, {FixedJoint{}, 6}};
  for (const auto& [type, rows] : cases) {
    const JointRank rank = rank_of(chain(1, 1, type));
    EXPECT_EQ(rank.rows, rows) << type_name(type);
    EXPECT_EQ(rank.rank, rows) << type_name(type);
    EXPECT_TRUE(rank.redundant.empty());
  }
}

TEST(JointRank, ModelWithoutJointsHasNone) {
  ModelDescription d;
  d.bodies = {bar("bar", Vec3::Zero())};
  const JointRank rank = rank_of(d);
  EXPECT_EQ(rank.rows, 0);
  EXPECT_EQ(rank.rank, 0);
}

// The same hinge twice: the second one says nothing.
TEST(JointRank, SecondOfTwoEqualHingesIsRedundant) {
  const BuiltModel model = built(chain(2, 2));
  const JointRank rank = joint_rank(*model.model, *model.initial);
  EXPECT_EQ(rank.rows, 20);
  EXPECT_EQ(rank.rank, 10);
  ASSERT_EQ(rank.redundant.size(), 2u);
  for (std::size_t i = 0; i < 2; ++i) {
    EXPECT_EQ(model.model->joints[index(rank.redundant[i].joint)].name.back(), 'b');
    EXPECT_EQ(rank.redundant[i].rows, 5);
  }
  EXPECT_EQ(to_text(*model.model, rank),
            "20 rows, rank 10 (10 redundant: hinge10000b x5, hinge10001b x5)");
}

// Three bodies in space have 18 freedoms, the loop moves with one: rank 17 of 20 rows. In the plane
// 9 freedoms, 8 rows, none to spare.
TEST(JointRank, PlanarLoopOfFourHinges) {
  const JointRank space = rank_of(loop(false)), plane = rank_of(loop(true));
  EXPECT_EQ(space.rows, 20);
  EXPECT_EQ(space.rank, 17);
  int redundant = 0;
  for (const RedundantJoint& r : space.redundant) redundant += r.rows;
  EXPECT_EQ(redundant, 3);
  EXPECT_EQ(plane.rows, 8);
  EXPECT_EQ(plane.rank, 8);
}

// Parallel cranks in line with their coupler can fold either way: one row less at that place.
TEST(JointRank, SeesASingularPlace) {
  ModelDescription d;
  d.bodies = {bar("a", Vec3(0.5, 0, 0), true), bar("b", Vec3(1.5, 0, 0), true)};
  d.joints = {joint("1", RevoluteJoint{}, "world", Vec3::Zero(), "a", Vec3(-0.5, 0, 0)),
              joint("2", RevoluteJoint{}, "a", Vec3(0.5, 0, 0), "b", Vec3(-0.5, 0, 0)),
              joint("3", RevoluteJoint{}, "world", Vec3(2, 0, 0), "b", Vec3(0.5, 0, 0))};
  const JointRank rank = rank_of(d);
  EXPECT_EQ(rank.rows, 6);
  EXPECT_EQ(rank.rank, 5);  // in line the three hinges cannot all resist across
}

// Masses are only a metric: whatever their ratio, the rank is that of the rows.
TEST(JointRank, DoesNotDependOnMasses) {
  for (const double ratio : {1e-6, 1e-3, 1e3, 1e6}) {
    ModelDescription d = loop(false);
    d.bodies[1].mass = ratio;
    d.bodies[1].inertia = Mat3(ratio * Vec3(0.1, 0.2, 0.3).asDiagonal());
    EXPECT_EQ(rank_of(d).rank, 17) << ratio;
  }
}

// Long chains go through the sparse factor: 1000 links, 5 rows each, and one hinge of them twice.
TEST(JointRank, OfALongChainFindsTheOneThatIsTwice) {
  ModelDescription d = chain(1000, 1);
  JointDescription twice = d.joints[700];
  twice.name = "zz_twice";
  d.joints.push_back(twice);
  const BuiltModel model = built(d);
  const JointRank rank = joint_rank(*model.model, *model.initial);
  EXPECT_EQ(rank.rows, 5005);
  EXPECT_EQ(rank.rank, 5000);
  int redundant = 0;
  for (const RedundantJoint& r : rank.redundant) {
    redundant += r.rows;
    const std::string& name = model.model->joints[index(r.joint)].name;
    EXPECT_TRUE(name == "zz_twice" || name == twice.name || name == d.joints[700].name) << name;
  }
  EXPECT_EQ(redundant, 5);
}

// A ring of N bars in a plane with parallel hinges, one bar the ground, moves with N - 3 freedoms
// of 6 (N - 1): the rank is 5 N - 3 of 5 N rows whatever the method. 40 bars are dense, 400 are
// not.
TEST(JointRank, OfRingsSmallAndLarge) {
  for (const int N : {5, 40, 400}) {
    ModelDescription d;
    const auto corner = [&](int i) {
      const double a = 2 * 3.14159265358979 * i / N;
      return Vec3(std::cos(a), 1.3 * std::sin(a), 0);
    };
    const auto name = [&](int i) {
      return i % N == 0 ? std::string("world") : "bar" + std::to_string(1000 + i % N);
    };
    const auto center = [&](int i) {
      return i % N == 0 ? Vec3(0, 0, 0) : Vec3((corner(i) + corner(i + 1)) / 2);
    };
    for (int i = 1; i < N; ++i) d.bodies.push_back(bar(name(i), center(i)));
    for (int i = 1; i <= N; ++i)
      d.joints.push_back(joint("hinge" + std::to_string(1000 + i), RevoluteJoint{}, name(i - 1),
                               corner(i) - center(i - 1), name(i), corner(i) - center(i)));
    const JointRank rank = rank_of(d);
    EXPECT_EQ(rank.rows, 5 * N);
    EXPECT_EQ(rank.rank, 5 * N - 3) << N;
  }
}

// Many mechanisms that share no body are looked at one by one.
TEST(JointRank, AddsUpOverMechanisms) {
  ModelDescription d;
  for (int i = 0; i < 50; ++i) {
    const std::string name = "bob" + std::to_string(100 + i);
    d.bodies.push_back(bar(name, Vec3(i, 0, 0)));
    for (const char* copy : {"x", "y"})
      if (copy[0] == 'x' || i % 10 == 0)
        d.joints.push_back(
            joint(name + copy, BallJoint{}, "world", Vec3(i, 0, 0), name, Vec3::Zero()));
  }
  const JointRank rank = rank_of(d);
  EXPECT_EQ(rank.rows, 3 * 55);
  EXPECT_EQ(rank.rank, 3 * 50);
  EXPECT_EQ(rank.redundant.size(), 5u);
}

}  // namespace
}  // namespace cairn::test_joint_rank
