// Worlds in which friction holds bodies on bodies that move, and how far they creep.
#pragma once

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>

#include "system/worlds.hpp"

namespace cairn::testing {

inline double log_uniform(Random& random, double least, double most) {
  return least * std::pow(most / least, random.uniform(0, 1));
}

// A number as a time function reads it.
inline double as_written(double x) {
  return std::stod(std::to_string(x));
}

inline BodyDescription carrier(std::string name, const Geometry& geometry, const Vec3& axis,
                               const std::string& angle, const Vec3& centre = Vec3::Zero()) {
  BodyDescription body;
  body.name = std::move(name);
  body.motion = Motion{};
  body.motion->axis = axis;
  body.motion->angle = function(angle);
  body.shapes = {{geometry, Pose{centre, Quat::Identity()}, "default"}};
  return body;
}

// Turned about the origin, and moving with w about it.
inline BodyDescription riding(BodyDescription body, const Quat& turn, const Vec3& w,
                              const Vec3& velocity = Vec3::Zero()) {
  body.position = turn * body.position;
  body.orientation = turn * body.orientation;
  body.velocity = w.cross(body.position) + velocity;
  body.angular_velocity = w;
  return body;
}

// Largest change of the relative poses of all bodies that touched at first [m].
inline double creep(Simulator& sim, double h, int steps) {
  certified_steps(sim, h, 5);
  std::vector<std::pair<std::size_t, std::size_t>> pairs;
  for (const ImpulseMemory& m : of_role(sim.state().impulses, Role::contact))
    pairs.emplace_back(index(m.key.contact.body_a), index(m.key.contact.body_b));
  pairs.erase(std::unique(pairs.begin(), pairs.end()), pairs.end());
  EXPECT_FALSE(pairs.empty());
  const std::vector<Pose> start = sim.state().poses;
  double largest = 0;
  for (int i = 0; i < steps; ++i) {
    if (!certified_step(sim, h)) return std::numeric_limits<double>::infinity();
    const std::vector<Pose>& now = sim.state().poses;
    for (const auto& [a, b] : pairs) {
      const Pose was = start[a].inverse() * start[b], is = now[a].inverse() * now[b];
      largest = std::max(largest, (is.p - was.p).norm() + is.R.angularDistance(was.R));
    }
  }
  return largest;
}

// Jaws on prismatic joints press an object between them; their base turns and shakes. The largest
// force on the object, m (g + s w^2) and m (A w^2 r), is below a third of what friction holds. A
// spring with k > m w^2, of all that slides on the rails, keeps jaws and object near the axis: the
// forces of the jaws cancel, and nothing else would.
inline ModelDescription gripper(std::uint64_t seed) {
  Random random(seed);
  ModelDescription d = world(Vec3(0, 0, -g), 0.8, 0);
  const std::string angle = std::to_string(random.uniform(0.1, 0.5)) + "*(1-cos(" +
                            std::to_string(random.uniform(1, 3)) + "*t))";
  BodyDescription base =
      carrier("base", Box{Vec3(0.1, 0.1, 0.1)}, Vec3::UnitZ(), angle, Vec3(0, 0, 1));
  base.motion->position = {TimeFunction(0), TimeFunction(0),
                           function(std::to_string(random.uniform(0.002, 0.01)) + "*(1-cos(" +
                                    std::to_string(random.uniform(3, 9)) + "*t))")};
  const double side = random.uniform(0, 0.3), low = random.uniform(-0.02, 0.02);
  d.bodies = {base, moving("jaw0", Box{Vec3(0.05, 0.2, 0.2)}, 0.5, Vec3(-0.125, side, 0)),
              moving("jaw1", Box{Vec3(0.05, 0.2, 0.2)}, 0.5, Vec3(0.125, side, 0)),
              moving("object", Box{Vec3(0.2, 0.15, 0.15)}, log_uniform(random, 0.3, 2),
                     Vec3(0, side + random.uniform(-0.02, 0.02), low))};
  for (const char* jaw : {"jaw0", "jaw1"}) {
    JointDescription rail;
    rail.type = PrismaticJoint{Vec3::UnitX()};
    rail.bodies = {"base", jaw};
    rail.anchors[0] = Vec3(0, side, 0);
    d.joints.push_back(rail);
    AppliedForceDescription press;
    press.body = jaw;
    const std::string force = std::string(jaw) == "jaw0" ? "60" : "-60";
    press.force = {function(force + "*cos(" + angle + ")"), function(force + "*sin(" + angle + ")"),
                   TimeFunction(0)};
    d.forces.emplace_back(press);
  }
  SpringDescription centre;
  centre.bodies = {"base", "jaw0"};
  centre.anchors[0] = Vec3(-0.625, side, 0);
  centre.stiffness = 200;
  centre.rest_length = 0.5;
  centre.damping = 5;
  d.forces.emplace_back(centre);
  return d;
}

// Stacks of boxes on a table that turns below the limit of friction.
inline ModelDescription stacks_on_turntable(std::uint64_t seed) {
  Random random(seed);
  ModelDescription d = world(Vec3(0, 0, -g), 0.6, 0);
  const double rate = as_written(random.uniform(0.5, 1.3));
  d.bodies = {
      carrier("a table", Halfspace{Vec3::UnitZ()}, Vec3::UnitZ(), std::to_string(rate) + "*t")};
  for (int stack = 0; stack < 2; ++stack) {
    const double angle = 3 * stack + random.uniform(0, 1), r = random.uniform(0.5, 1.2);
    double z = 0;
    for (int i = 0; i < 3; ++i) {
      const Vec3 size(random.uniform(0.2, 0.3), random.uniform(0.2, 0.3),
                      random.uniform(0.05, 0.1));
      const Vec3 place(r * std::cos(angle) + random.uniform(-0.03, 0.03),
                       r * std::sin(angle) + random.uniform(-0.03, 0.03), z + size.z() / 2);
      d.bodies.push_back(riding(moving("s" + std::to_string(stack) + std::to_string(i), Box{size},
                                       log_uniform(random, 0.1, 10), place),
                                Quat::Identity(), rate * Vec3::UnitZ()));
      z += size.z();
    }
  }
  return d;
}

// Boxes that touch each other, a box on a box and a wedge on a tilted table whose rate changes.
inline ModelDescription mixed_on_turntable(std::uint64_t seed) {
  Random random(seed);
  ModelDescription d = world(Vec3(0, 0, -g), 0.7, 0);
  const double rate = as_written(random.uniform(0.3, 1.0));
  const Vec3 axis = Vec3(random.uniform(-0.15, 0.15), random.uniform(-0.15, 0.15), 1).normalized();
  const std::string turns = std::to_string(rate);
  d.bodies = {carrier("a table", Halfspace{axis}, axis, turns + "*(t+0.2*(1-cos(t)))")};
  const double r = random.uniform(0.3, 0.8), y = random.uniform(-0.05, 0.05);
  const auto put = [&](const BodyDescription& body) {
    d.bodies.push_back(riding(body, Quat::FromTwoVectors(Vec3::UnitZ(), axis), rate * axis));
  };
  put(moving("b0", Box{Vec3(0.2, 0.2, 0.1)}, log_uniform(random, 0.1, 10), Vec3(r, 0, 0.05)));
  put(moving("b1", Box{Vec3(0.2, 0.2, 0.16)}, log_uniform(random, 0.1, 10),
             Vec3(r + 0.2, y, 0.08)));
  put(moving("b2", Box{Vec3(0.1, 0.1, 0.1)}, log_uniform(random, 0.1, 10), Vec3(r, 0, 0.15)));
  put(moving(
      "wedge",
      Hull{{Vec3(-0.1, -0.1, -0.1), Vec3(0.1, -0.1, -0.1), Vec3(0, 0.15, -0.1), Vec3(0, 0, 0.1)}},
      log_uniform(random, 0.1, 10), Vec3(-r, 0.2, 0.1)));
  return d;
}

// Boxes, one on another, on a tray that sways and tilts about an axis above or below it.
inline ModelDescription swinging_tray(std::uint64_t seed) {
  Random random(seed);
  ModelDescription d = world(Vec3(0, 0, -g), 0.8, 0);
  const double up = random.uniform(-1, 1);  // of the axis over the tray
  BodyDescription tray =
      carrier("tray", Box{Vec3(2, 1, 0.1)}, Vec3::UnitY(),
              std::to_string(random.uniform(0.05, 0.2)) + "*(1-cos(3*t))", Vec3(0, 0, -up));
  tray.motion->position = {function("0.05*(1-cos(2*t))"), TimeFunction(0), TimeFunction(0)};
  d.bodies = {tray, moving("a", Box{Vec3(0.3, 0.2, 0.1)}, 1, Vec3(0.3, 0.1, 0.1 - up)),
              moving("b", Box{Vec3(0.2, 0.15, 0.1)}, log_uniform(random, 0.1, 10),
                     Vec3(0.32, 0.1, 0.2 - up)),
              moving("c", Box{Vec3(0.2, 0.2, 0.1)}, 5, Vec3(-0.5, -0.1, 0.1 - up))};
  return d;
}

// One more that touches the last from the side and is higher.
inline ModelDescription crowded_tray(std::uint64_t seed) {
  ModelDescription d = swinging_tray(seed);
  d.bodies.push_back(moving("d", Box{Vec3(0.2, 0.2, 0.2)}, 0.2 * static_cast<double>(seed),
                            d.bodies.back().position + Vec3(0.2, 0, 0.05)));
  return d;
}

// A row of four boxes of different heights that touch, from 0.01 to 100 kg.
inline ModelDescription row_on_tray(std::uint64_t seed) {
  Random random(seed);
  ModelDescription d = world(Vec3(0, 0, -g), 0.7, 0);
  const double up = random.uniform(-0.5, 0.5);  // of the axis over the tray
  BodyDescription tray = carrier("tray", Box{Vec3(3, 2, 0.1)}, Vec3::UnitY(), "0.1*(1-cos(3*t))",
                                 Vec3(0, 0, -up - 0.05));
  tray.motion->position = {function("0.03*(1-cos(2*t))"), TimeFunction(0), TimeFunction(0)};
  d.bodies = {tray};
  for (int i = 0; i < 4; ++i) {
    const double height = random.uniform(0.1, 0.2);
    d.bodies.push_back(moving("box" + std::to_string(i), Box{Vec3(0.2, 0.2, height)},
                              log_uniform(random, 0.01, 100),
                              Vec3(0.2 * i - 0.3, random.uniform(-0.05, 0.05), height / 2 - up)));
  }
  return d;
}

// Five boxes on each other, from 0.01 to 100 kg.
inline ModelDescription tower_on_turntable(std::uint64_t seed) {
  Random random(seed);
  ModelDescription d = world(Vec3(0, 0, -g), random.uniform(0.4, 1), 0);
  const double rate = as_written(random.uniform(0.3, 1));
  d.bodies = {
      carrier("a table", Halfspace{Vec3::UnitZ()}, Vec3::UnitZ(), std::to_string(rate) + "*t")};
  for (int i = 0; i < 5; ++i)
    d.bodies.push_back(riding(
        moving("box" + std::to_string(i), Box{Vec3(0.3, 0.3, 0.08)}, log_uniform(random, 0.01, 100),
               Vec3(0.4, random.uniform(-0.02, 0.02), 0.04 + 0.08 * i)),
        Quat::Identity(), rate * Vec3::UnitZ()));
  return d;
}

// A free tray on a hinge swings with boxes on it. On a pendulum the force along the tray is at most
// that of the angle at which it starts.
inline ModelDescription hinged_tray(std::uint64_t seed) {
  Random random(seed);
  ModelDescription d = world(Vec3(0, 0, -g), 0.9, 0);
  const double length = random.uniform(0.5, 1.5);
  const Quat turn(Eigen::AngleAxisd(random.uniform(0.1, 0.4), Vec3::UnitY()));
  const auto put = [&](const BodyDescription& body) {
    d.bodies.push_back(riding(body, turn, Vec3::Zero()));
  };
  put(moving("tray", Box{Vec3(1, 0.6, 0.05)}, log_uniform(random, 1, 10), Vec3(0, 0, -length)));
  put(moving("a", Box{Vec3(0.2, 0.2, 0.1)}, log_uniform(random, 0.1, 10),
             Vec3(random.uniform(-0.3, -0.1), 0, 0.075 - length)));
  const double x = random.uniform(0.1, 0.3);
  put(moving("b", Box{Vec3(0.2, 0.2, 0.1)}, log_uniform(random, 0.1, 10),
             Vec3(x, 0.05, 0.075 - length)));
  put(moving("c", Box{Vec3(0.1, 0.1, 0.1)}, log_uniform(random, 0.1, 10),
             Vec3(x, 0.05, 0.175 - length)));
  JointDescription hinge;
  hinge.type = RevoluteJoint{Vec3::UnitY()};
  hinge.bodies = {"world", "tray"};
  hinge.anchors[1] = Vec3(0, 0, length);
  d.joints = {hinge};
  return d;
}

// A drum of eight plates turns about a level axis so fast that boxes stay at its wall, w^2 r > 3 g,
// beside a conveyor whose speed changes.
inline ModelDescription drum_and_conveyor(std::uint64_t seed) {
  Random random(seed);
  ModelDescription d = world(Vec3(0, 0, -g), 0.9, 0);
  const double rate = as_written(random.uniform(6, 8));
  const std::string turns = std::to_string(rate);
  BodyDescription drum = carrier("drum", Box{Vec3(0.9, 1, 0.1)}, Vec3::UnitY(), turns + "*t");
  drum.shapes.clear();
  BodyDescription belt = carrier("belt", Halfspace{Vec3::UnitZ()}, Vec3::UnitZ(), "0");
  belt.motion->position = {function("0.3*t+0.1*(1-cos(3*t))"), TimeFunction(0), TimeFunction(-3)};
  std::vector<BodyDescription> boxes;
  for (int i = 0; i < 8; ++i) {
    const Quat turn(Eigen::AngleAxisd(i * std::numbers::pi / 4, Vec3::UnitY()));
    drum.shapes.push_back(
        {Box{Vec3(0.9, 1, 0.1)}, Pose{turn * Vec3(0, 0, -1.05), turn}, "default"});
    if (i % 2 != 0) continue;
    const Vec3 size(random.uniform(0.1, 0.3), random.uniform(0.1, 0.3), random.uniform(0.1, 0.2));
    const Vec3 place(random.uniform(-0.05, 0.05), 0, size.z() / 2 - 1);
    boxes.push_back(
        riding(moving("box" + std::to_string(i), Box{size}, log_uniform(random, 0.1, 10), place),
               turn, rate * Vec3::UnitY()));
  }
  d.bodies = {drum, belt};
  d.bodies.insert(d.bodies.end(), boxes.begin(), boxes.end());
  for (int i = 0; i < 2; ++i)
    d.bodies.push_back(moving("load" + std::to_string(i), Box{Vec3(0.3, 0.3, 0.2)},
                              log_uniform(random, 0.1, 10), Vec3(0.05 * i, 2, 0.2 * i - 2.9),
                              Vec3(0.3, 0, 0)));
  return d;
}

}  // namespace cairn::testing
