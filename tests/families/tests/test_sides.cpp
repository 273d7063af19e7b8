// The judges of sides on motions made by hand.
#include <gtest/gtest.h>
#include <numbers>

#include "families/oracle/sides.hpp"

namespace cairn::families::test_sides {
namespace {

// A plate of 2 m x 2 m x 1 cm about the origin and a ball of 5 cm.
struct Stage {
  World world;
  State before, after;
  StepReport report;

  explicit Stage(const Json& plate) {
    Json scene = empty_scene("stage", Vec3::Zero(), 0, 0);
    scene["bodies"] = Json::array({plate, free_body("ball", sphere_shape(0.05), 1, Vec3(0, 0, 1))});
    world = make_world(*parse_scene(scene.dump(), "stage"));
    before = after = *world.scene.initial;
    after.t = 0.01;
  }
  Moment move(const Vec3& from, const Vec3& to) {
    before.poses[world.body("ball")].p = from;
    after.poses[world.body("ball")].p = to;
    return {world, before, after, report, 0.01, true};
  }
};

const Json fixed_plate = fixed_body("plate", box_shape(Vec3(2, 2, 0.01)), Vec3::Zero());
const PlateSides plate{"plate", "ball", 1, 1};

TEST(FamilySides, FlightThroughAPlateIsSeen) {
  Stage stage(fixed_plate);
  EXPECT_EQ(plate.judge(stage.move(Vec3(0.2, 0, 1), Vec3(0.3, 0.1, -2))), Crossing::through);
  EXPECT_EQ(plate.judge(stage.move(Vec3(0.2, 0, 1), Vec3(0.3, 0.1, 0.04))), Crossing::none);
}

TEST(FamilySides, WaysRoundTheEdgeAreNotCounted) {
  Stage stage(fixed_plate);
  EXPECT_EQ(plate.judge(stage.move(Vec3(2, 0, 1), Vec3(2, 0, -1))), Crossing::unclear);
  // It may have slid to the edge within the step.
  EXPECT_EQ(plate.judge(stage.move(Vec3(0, 0, 0.1), Vec3(1.5, 0, -0.1))), Crossing::unclear);
}

// Out and back within the step: neither end shows it, the ball in between is crossed.
TEST(FamilySides, ShakingPlateIsFollowedWithinTheStep) {
  Stage stage({{"name", "plate"},
               {"motion", {{"position", {0, 0, "0.5*sin(200*pi*t)"}}}},
               {"shapes", Json::array({box_shape(Vec3(2, 2, 0.01))})}});
  EXPECT_EQ(plate.judge(stage.move(Vec3(0, 0, 0.3), Vec3(0, 0, 0.3))), Crossing::through);
  EXPECT_EQ(plate.judge(stage.move(Vec3(0, 0, 0.7), Vec3(0, 0, 0.7))), Crossing::none);
  EXPECT_EQ(plate.judge(stage.move(Vec3(0, 0, 0.6), Vec3(0, 0, 0.9))), Crossing::none);
}

TEST(FamilySides, BladeThatTurnsFullyIsFollowed) {
  Stage stage({{"name", "blade"},
               {"motion", {{"position", {0, 0, 0}}, {"axis", {0, 1, 0}}, {"angle", "200*pi*t"}}},
               {"shapes", Json::array({box_shape(Vec3(2, 2, 0.01))})}});
  const BladeSides blade{"blade", "ball", 1, 1};
  EXPECT_EQ(blade.judge(stage.move(Vec3(0.4, 0, -0.4), Vec3(0.4, 0, -0.4))), Crossing::through);
  // Carried away by the blade, beyond its reach.
  EXPECT_NE(blade.judge(stage.move(Vec3(0.4, 0, -0.4), Vec3(-3, 0, -2))), Crossing::through);
}

TEST(FamilySides, BallsInsideTwoBodiesStayApart) {
  Stage stage(free_body("other", sphere_shape(0.05), 1, Vec3::Zero()));
  const BallsApart balls{"ball", "other"};
  EXPECT_EQ(balls.judge(stage.move(Vec3(0, 0, 1), Vec3(0.02, 0, -1))), Crossing::through);
  EXPECT_EQ(balls.judge(stage.move(Vec3(0, 0, 1), Vec3(0.02, 0, 0.5))), Crossing::none);
}

}  // namespace
}  // namespace cairn::families::test_sides
