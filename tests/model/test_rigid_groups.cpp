// Welds that cannot be closed together are refused with all their names, whatever their order.
#include <algorithm>
#include <gtest/gtest.h>

#include "cairn/model.hpp"

namespace cairn::test_rigid_groups {
namespace {

BodyDescription block(const std::string& name, const Vec3& position) {
  BodyDescription body;
  body.name = name;
  body.mass = 1;
  body.inertia = Mat3::Identity();
  body.position = position;
  return body;
}

JointDescription joint(const std::string& name, const JointType& type, const std::string& a,
                       const Vec3& anchor_a, const std::string& b, const Vec3& anchor_b) {
  JointDescription d;
  d.name = name;
  d.type = type;
  d.bodies = {a, b};
  d.anchors = {anchor_a, anchor_b};
  return d;
}

Errors errors_of(const ModelDescription& d) {
  const Result<BuiltModel> built = build(d);
  return built ? Errors{} : built.error();
}

bool names(const Error& error, const std::string& name) {
  return error.what.find("'" + name + "'") != std::string::npos;
}

TEST(RigidGroups, TwoWeldsAtTwoPlaces) {
  ModelDescription d;
  d.bodies = {block("block", Vec3(1, 0, 0))};
  d.joints = {joint("here", FixedJoint{}, "world", Vec3(1, 0, 0), "block", Vec3::Zero()),
              joint("there", FixedJoint{}, "world", Vec3(1, 0.5, 0), "block", Vec3::Zero())};
  for (int order = 0; order < 2; ++order) {
    const Errors errors = errors_of(d);
    ASSERT_EQ(errors.size(), 1u);
    EXPECT_EQ(errors[0].kind, ErrorKind::stopped);
    EXPECT_EQ(errors[0].path, "joints[1].anchors");
    EXPECT_TRUE(names(errors[0], "here") && names(errors[0], "there")) << errors[0].text();
    EXPECT_EQ(errors[0].got, "0.5 m");
    std::swap(d.joints[0], d.joints[1]);
  }
}

// Neither weld fits where the block starts, and they differ by 0.7 m.
TEST(RigidGroups, ResidualIsThatOfTheWeldsNotOfTheStart) {
  ModelDescription d;
  d.bodies = {block("block", Vec3(5, 5, 5))};
  d.joints = {joint("p", FixedJoint{}, "world", Vec3(0, 0, 0), "block", Vec3::Zero()),
              joint("q", FixedJoint{}, "world", Vec3(0, 0, 0.75), "block", Vec3::Zero())};
  const Errors errors = errors_of(d);
  ASSERT_EQ(errors.size(), 1u);
  EXPECT_EQ(errors[0].got, "0.75 m");
}

// A ring of three blocks; the joint that closes it, a hinge or a weld, misses. A fourth weld to a
// block outside the ring is not part of it. A fixed body is as good as the world.
TEST(RigidGroups, RingNamesItsJointsOnly) {
  ModelDescription d;
  BodyDescription base;
  base.name = "base";
  base.fixed = true;
  d.bodies = {base, block("a", Vec3(1, 0, 0)), block("b", Vec3(2, 0, 0)),
              block("outside", Vec3(3, 0, 0))};
  d.joints = {joint("j0", FixedJoint{}, "base", Vec3(1, 0, 0), "a", Vec3::Zero()),
              joint("j1", FixedJoint{}, "a", Vec3(1, 0, 0), "b", Vec3::Zero()),
              joint("j2", FixedJoint{}, "b", Vec3(1, 0, 0), "outside", Vec3::Zero()),
              joint("j3", RevoluteJoint{}, "world", Vec3(2, 0, 0.25), "b", Vec3::Zero())};
  const Errors errors = errors_of(d);
  ASSERT_EQ(errors.size(), 1u);
  EXPECT_TRUE(names(errors[0], "j0") && names(errors[0], "j1") && names(errors[0], "j3"));
  EXPECT_FALSE(names(errors[0], "j2"));
  EXPECT_EQ(errors[0].got, "0.25 m");
  // A slide along the gap is no contradiction.
  d.joints[3].type = PrismaticJoint{.axis = Vec3::UnitZ()};
  EXPECT_TRUE(errors_of(d).empty());
}

// A gap that a motion can close stays an error of the input, exit code 3.
TEST(RigidGroups, OpenHingeIsNoContradiction) {
  ModelDescription d;
  d.bodies = {block("block", Vec3(1, 0, 0))};
  d.joints = {joint("hinge", RevoluteJoint{}, "world", Vec3(1, 0.5, 0), "block", Vec3::Zero())};
  const Errors errors = errors_of(d);
  ASSERT_EQ(errors.size(), 1u);
  EXPECT_EQ(errors[0].kind, ErrorKind::input);
}

}  // namespace
}  // namespace cairn::test_rigid_groups
