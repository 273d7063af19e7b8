// Boxes on boxes: rest without creep, slide over seams, tip over edges, pass where the way is free.
#include <cmath>

#include "system/worlds.hpp"

namespace cairn::test_polyhedra {
namespace {

using namespace testing;

BodyDescription fixed_box(const std::string& name, const Vec3& size, const Vec3& position) {
  BodyDescription b;
  b.name = name;
  b.fixed = true;
  b.position = position;
  b.shapes.emplace_back().geometry = Box{size};
  return b;
}

std::string number(int i) {
  return std::to_string(1000 + i);
}

//  []
//  []     n unit cubes on a slab; the topmost may be heavy
// ====
Simulator tower(int n, double top) {
  ModelDescription d = world(Vec3(0, 0, -g), 0.5, 0);
  d.bodies = {fixed_box("floor", Vec3(20, 20, 1), Vec3(0, 0, -0.5))};
  for (int i = 0; i < n; ++i)
    d.bodies.push_back(
        moving("cube" + number(i), Box{Vec3(1, 1, 1)}, i == n - 1 ? top : 1, Vec3(0, 0, 0.5 + i)));
  return simulator(d);
}

double drift(const Simulator& sim, const State& start) {
  double most = 0;
  for (std::size_t i = 0; i < start.poses.size(); ++i)
    most = std::max(most, (sim.state().poses[i].p - start.poses[i].p).norm());
  return most;
}

// 4 corners for each of the ten faces, and 100 s in which nothing moves.
TEST(Towers, TenCubesStandStill) {
  Simulator sim = tower(10, 1);
  const State start = sim.state();
  certified_steps(sim, 0.01, 10000);
  EXPECT_LE(drift(sim, start), 1e-9);
  EXPECT_EQ(sim.report().contacts.size(), 40u);
  EXPECT_EQ(sim.report().added_pairs, 0);
}

// The light cube carries any weight.
TEST(Towers, HeavyOnLight) {
  for (const double ratio : {1.0, 1e2, 1e4, 1e6}) {
    Simulator sim = tower(2, ratio);
    const State start = sim.state();
    certified_steps(sim, 0.01, 1000);
    EXPECT_LE(drift(sim, start), 1e-6) << ratio;
  }
}

// A cube at rest keeps its velocity below what rounding puts in, and its contacts their names.
TEST(Towers, ACubeAtRestDoesNotRattle) {
  Simulator sim = tower(1, 1);
  certified_steps(sim, 0.01, 10);
  std::vector<ContactKey> keys;
  for (const ContactReport& c : sim.report().contacts) keys.push_back(c.contact.key);
  for (int i = 0; i < 1000; ++i) {
    ASSERT_TRUE(certified_step(sim, 0.01));
    EXPECT_LE(sim.state().v.cwiseAbs().maxCoeff(), 1e-13);
    ASSERT_EQ(sim.report().contacts.size(), keys.size());
    for (std::size_t k = 0; k < keys.size(); ++k)
      EXPECT_EQ(sim.report().contacts[k].contact.key, keys[k]);
  }
}

// 100 equal boxes side by side are a smooth floor: without friction a box slides over the seams as
// if there were none, in any heading and turned by any angle.
TEST(Seams, AFloorOfBoxesIsSmooth) {
  double vertical = 0, lateral = 0, slowing = 0;
  for (int heading = 0; heading < 1000; ++heading) {
    ModelDescription d = world(Vec3(0, 0, -g), 0, 0);
    for (int i = 0; i < 100; ++i)
      d.bodies.push_back(
          fixed_box("tile" + number(i), Vec3(1, 1, 1), Vec3(i % 10 - 4.5, i / 10 - 4.5, -0.5)));
    const double angle = heading * 2 * 3.14159265358979323846 / 1000;
    const Vec3 v = 4 * Vec3(std::cos(angle), std::sin(angle), 0);
    BodyDescription box = moving("box", Box{Vec3(0.8, 0.6, 0.2)}, 1, Vec3(0, 0, 0.1), v);
    box.orientation = Quat(Eigen::AngleAxisd(0.37 * heading, Vec3::UnitZ()));
    d.bodies.push_back(box);
    Simulator sim = simulator(d);
    for (int i = 0; i < 20; ++i) {
      ASSERT_TRUE(certified_step(sim, 0.04)) << heading;
      const Vec3 now = motion(sim, "box").velocity;
      vertical = std::max(vertical, std::abs(now.z()));
      lateral = std::max(lateral, std::abs(now.dot(Vec3(-v.y(), v.x(), 0)) / 4));
      slowing = std::max(slowing, std::abs(now.dot(v) / 4 - 4));
    }
  }
  EXPECT_LE(vertical, 1e-10);
  EXPECT_LE(lateral, 1e-10);
  EXPECT_LE(slowing, 1e-10);
}

//      ____            a plank that hangs over a table's edge by a share of its length stays, or
//   __|____|           turns about the edge with m g d / (I + m d^2), d the overhang of its centre
TEST(Edges, APlankTipsWhenItsCentreIsBeyond) {
  for (const double beyond : {-0.2, -0.01, 0.01, 0.2}) {
    ModelDescription d = world(Vec3(0, 0, -g), 0.8, 0);
    d.bodies = {fixed_box("table", Vec3(4, 4, 1), Vec3(-2, 0, -0.5)),
                moving("plank", Box{Vec3(2, 0.5, 0.1)}, 3, Vec3(beyond, 0, 0.05))};
    Simulator sim = simulator(d);
    const double h = 1e-3;
    certified_steps(sim, h, 10);
    const double rate = motion(sim, "plank").angular_velocity.y();
    if (beyond < 0) {
      EXPECT_NEAR(rate, 0, 1e-12);
      continue;
    }
    // About the edge, 0.05 below the centre; ten Euler steps of a nearly constant acceleration.
    const double arm2 = beyond * beyond + 0.05 * 0.05;
    const double acceleration = g * beyond / ((4 + 0.01) / 12 + arm2);
    EXPECT_NEAR(rate, 10 * h * acceleration, 0.02 * 10 * h * acceleration) << beyond;
  }
}

// Two cubes that pass each other corner by corner, at a distance below the step, are not touched.
// Every case is free in truth: the moving one never enters the other.
TEST(Traps, FreeMotionsAreNotBlocked) {
  struct Case {
    Vec3 start, velocity;
  };
  for (const double slit : {1e-9, 1e-6, 1e-3}) {
    const Case cases[] = {
        {Vec3(-3, 0, 1 + slit), Vec3(3, 0, 0)},    // over the top, face along face
        {Vec3(1 + slit, 0, 3), Vec3(0, 0, -3)},    // down the side
        {Vec3(-3, 1 + slit, 0.3), Vec3(3, 0, 0)},  // past the side
        {Vec3(-2, 0, 3 + slit),
         Vec3(3, 0, -2)},  // past the far edge of the top, by the slit at t = 1
    };
    int k = 0;
    for (const Case& c : cases) {
      ++k;
      ModelDescription d = world(Vec3::Zero(), 0.5, 0);
      BodyDescription other = moving("other", Box{Vec3(1, 1, 1)}, 1, c.start, c.velocity);
      d.bodies = {fixed_box("cube", Vec3(1, 1, 1), Vec3::Zero()), other};
      Simulator sim = simulator(d);
      for (int i = 0; i < 40; ++i) ASSERT_TRUE(certified_step(sim, 0.05));
      EXPECT_EQ(motion(sim, "other").velocity, c.velocity) << k << " " << slit;
    }
  }
}

//  [][]    A box slides off two that stand flush side by side: its lower edge meets the upper edge
//  [][]    of the diagonal neighbour exactly, where top and side both separate at distance zero.
TEST(Traps, FlushCornersDoNotHoldBack) {
  ModelDescription d = world(Vec3(0, 0, -g), 0, 0);
  d.bodies = {fixed_box("left", Vec3(1, 1, 1), Vec3(0, 0, 0)),
              fixed_box("right", Vec3(1, 1, 1), Vec3(1, 0, 0)),
              moving("box", Box{Vec3(1, 1, 1)}, 1, Vec3(0, 0, 1), Vec3(0, 0, 0))};
  AppliedForceDescription push;
  push.body = "box";
  push.force[0] = 2;
  d.forces = {push};
  Simulator sim = simulator(d);
  for (int i = 1; i <= 50; ++i) {
    ASSERT_TRUE(certified_step(sim, 0.01));
    EXPECT_NEAR(motion(sim, "box").velocity.x(), 2 * 0.01 * i, 1e-12);
    EXPECT_NEAR(motion(sim, "box").velocity.z(), 0, 1e-12);
  }
}

// All that decides on axes, events and impulses is in the state: the search for the ratio metric
// may start anywhere.
TEST(PolyhedraBits, RestartChangesNone) {
  const Scene rocks = scene("rocks");
  Simulator whole = simulator(rocks);
  State middle;
  for (int i = 0; i < 260; ++i) {
    if (i == 171) middle = whole.state();
    whole.step(rocks.simulation.step);
  }
  EXPECT_GT(whole.report().active_contacts, 10);
  Simulator again = simulator(rocks);
  again.set_state(middle);
  while (again.state().step < 260) again.step(rocks.simulation.step);
  EXPECT_EQ(hash(again.state()), hash(whole.state()));
}

// Boxes and a hull fall on a box, in units of length 2^a m and time 2^c s.
Simulator tumble(int a, int c) {
  const double length = std::ldexp(1.0, a), time = std::ldexp(1.0, c), speed = length / time;
  ModelDescription d = world(Vec3(0, 0, -g * speed / time), 0.4, 0.3);
  d.bodies = {fixed_box("floor", length * Vec3(20, 20, 1), length * Vec3(0, 0, -0.5))};
  for (int i = 0; i < 4; ++i) {
    Geometry shape = Box{length * Vec3(0.6, 0.8, 1)};
    if (i == 2) {
      Hull hull;
      for (const Vec3& p : {Vec3(0, 0, 0.7), Vec3(0.6, 0.1, -0.2), Vec3(-0.4, 0.5, -0.3),
                            Vec3(-0.3, -0.6, -0.25), Vec3(0.3, 0.5, 0.3)})
        hull.vertices.push_back(length * p);
      shape = hull;
    }
    BodyDescription body =
        moving("body" + number(i), shape, 1 + i, length * Vec3(0.2 * i, 0.1 * i, 0.8 + 1.3 * i),
               speed * Vec3(1 - i, 0.3, 0), Vec3(2, 1 - i, 0.5) / time);
    body.orientation = Quat(Eigen::AngleAxisd(0.4 + i, Vec3(1, 2, i).normalized()));
    d.bodies.push_back(body);
  }
  Simulator sim = simulator(d);
  for (int i = 0; i < 200; ++i) sim.step(0.01 * time);
  return sim;
}

TEST(PolyhedraBits, ScalingByPowersOfTwoChangesNone) {
  const Simulator reference = tumble(0, 0);
  EXPECT_GT(reference.report().active_contacts, 3);
  for (const auto& [a, c] : {std::pair{3, 0}, std::pair{-10, 2}, std::pair{0, -4}}) {
    const Simulator scaled = tumble(a, c);
    for (const std::string name : {"body1000", "body1001", "body1002", "body1003"}) {
      const BodyMotion m = motion(reference, name), s = motion(scaled, name);
      EXPECT_EQ(s.position, std::ldexp(1.0, a) * m.position) << name;
      EXPECT_EQ(s.velocity, std::ldexp(1.0, a - c) * m.velocity) << name;
      EXPECT_EQ(s.orientation.coeffs(), m.orientation.coeffs()) << name;
    }
  }
}

}  // namespace
}  // namespace cairn::test_polyhedra
