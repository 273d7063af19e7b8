// Momentum and angular momentum of free bodies that collide and slide on each other (E305, E406,
// E407), from poses and velocities, in all schemes.
#include <algorithm>
#include <cmath>
#include <fmt/format.h>

#include "system/worlds.hpp"

namespace cairn::test_momentum {
namespace {

using namespace testing;

struct Named {
  const char* name;
  SchemeOptions scheme;
};

std::vector<Named> schemes() {
  return {{"euler", Euler{}},
          {"euler, nonlinear", Euler{.nonlinear = true}},
          {"relaxed", Relaxed{}},
          {"relaxed, nonlinear", Relaxed{.step = {.nonlinear = true}}},
          {"hybrid", Hybrid{}},
          {"hybrid, linear", Hybrid{.nonlinear = false}},
          {"trapezoidal", Trapezoidal{}},
          {"penalty", Penalty{.gamma = 1e6}},
          {"penalty, linearised", Penalty{.form = PenaltyForm::linearly_implicit}},
          {"penalty, explicit", Penalty{.form = PenaltyForm::explicit_, .gamma = 1e3}}};
}

// Shapes of a size near 0.1 m.
Geometry shape(Random& random, bool planar) {
  const auto size = [&] { return random.uniform(0.06, 0.15); };
  if (planar) {
    switch (random.below(3)) {
      case 0:
        return Disc{size()};
      case 1:
        return Ellipse{Eigen::Vector2d(size(), size())};
      default: {
        std::vector<Eigen::Vector2d> corners;
        for (int i = 0; i < 5; ++i)
          corners.push_back(size() * Eigen::Vector2d(std::cos(1.2 * i), std::sin(1.2 * i)));
        return Polygon{corners};
      }
    }
  }
  switch (random.below(5)) {
    case 0:
      return Sphere{size()};
    case 1:
      return Box{Vec3(size(), size(), size()) * 2};
    case 2:
      return Capsule{size(), size()};
    case 3:
      return Ellipsoid{Vec3(size(), size(), size())};
    default: {
      std::vector<Vec3> corners;
      for (int i = 0; i < 12; ++i) corners.push_back(random.vector(1).normalized() * size());
      return Hull{corners};
    }
  }
}

// Two or three bodies that fly towards their centre. Half of those in space have equal moments of
// inertia, the others those of their shapes.
ModelDescription encounter(Random& random, bool spheres, bool smooth) {
  const bool planar = !spheres && random.below(3) == 0;
  const int kind = random.below(3);
  ModelDescription d = world(random.below(2) == 0 ? Vec3::Zero() : Vec3(0, -g, 0),
                             kind == 0 ? 0 : random.uniform(0, 0.8),
                             random.below(2) == 0 ? 0 : random.uniform(0, 0.9));
  if (smooth) d.materials = {{"default", {0, 0}}};
  const int bodies = 2 + random.below(2);
  const Vec3 drift = random.vector(1);
  for (int i = 0; i < bodies; ++i) {
    const double angle = 2 * M_PI * i / bodies + random.uniform(0, 0.3);
    Vec3 at = 0.4 * Vec3(std::cos(angle), std::sin(angle), random.uniform(-0.2, 0.2));
    Vec3 velocity = drift - at * random.uniform(1, 8) + random.vector(0.5);
    Vec3 spin = random.vector(random.below(4) == 0 ? 500 : 10);
    if (planar) at.z() = velocity.z() = spin.x() = spin.y() = 0;
    BodyDescription body =
        moving(fmt::format("b{}", i),
               spheres ? Geometry(Sphere{random.uniform(0.08, 0.2)}) : shape(random, planar),
               std::pow(10, random.uniform(-1, 1)), at, velocity, spin);
    if (!planar) {
      if (random.below(2) == 0)
        body.inertia = Mat3(*body.mass * random.uniform(0.002, 0.01) * Mat3::Identity());
      body.orientation =
          Quat(1, random.uniform(-1, 1), random.uniform(-1, 1), random.uniform(-1, 1)).normalized();
    } else {
      const double turn = random.uniform(-1, 1);
      body.orientation = Quat(std::cos(turn), 0, 0, std::sin(turn));
    }
    d.bodies.push_back(body);
  }
  return d;
}

struct Momenta {
  Vec3 linear = Vec3::Zero(), angular = Vec3::Zero();  // the latter about the centre of mass
  double linear_scale = 0, angular_scale = 0;
};

Momenta momenta(const Simulator& sim) {
  Momenta m;
  Vec3 center = Vec3::Zero();
  double mass = 0;
  const Model& model = sim.model();
  const auto each = [&](auto visit) {
    for (std::size_t i = 0; i < model.bodies.size(); ++i)
      visit(model.bodies[i], sim.state().poses[i],
            sim.state().v.data() + model.bodies[i].first_velocity);
  };
  const auto linear = [](const Body& body, const double* v) {
    return body.velocities == 3 ? Vec3(v[0], v[1], 0) : Vec3(v[0], v[1], v[2]);
  };
  each([&](const Body& body, const Pose& pose, const double* v) {
    mass += body.mass;
    center += body.mass * pose.p;
    m.linear += body.mass * linear(body, v);
    m.linear_scale += body.mass * linear(body, v).norm();
  });
  center /= mass;
  each([&](const Body& body, const Pose& pose, const double* v) {
    const Vec3 orbit = (pose.p - center).cross(body.mass * (linear(body, v) - m.linear / mass));
    const Vec3 spin = body.velocities == 3
                          ? Vec3(0, 0, body.inertia_B(2, 2) * v[2])
                          : Vec3(pose.R * (body.inertia_B * Vec3(v[3], v[4], v[5])));
    m.angular += orbit + spin;
    m.angular_scale += orbit.norm() + spin.norm();
  });
  return m;
}

// Gravity acts at the centres of mass: it changes the momentum by what it says and the angular
// momentum about the common centre not at all. Rounding of a step is some 1e-16 of the terms; 1e-12
// is the limit of the verdict.
void keep_momenta(bool spheres) {
  for (const auto& [scheme_name, scheme] : schemes()) {
    Random random(spheres ? 5 : 6);
    double worst = 0, worst_linear = 0;
    int touched = 0;
    for (int n = 0; n < 60; ++n) {
      const bool smooth = std::holds_alternative<Penalty>(scheme);
      const ModelDescription d = encounter(random, spheres, smooth);
      const double h = std::pow(10, random.uniform(-3, -1.7));
      Simulator sim = simulator_of(d, scheme);
      for (int i = 0; i < 40; ++i) {
        const Momenta before = momenta(sim);
        const StepReport& r = sim.step(h);
        ASSERT_FALSE(r.failed()) << scheme_name << ' ' << n << ' ' << r.message;
        const Momenta after = momenta(sim);
        double mass = 0;
        for (const Body& body : sim.model().bodies) mass += body.mass;
        const double linear =
            (after.linear - before.linear - h * mass * sim.model().gravity).norm() /
            (before.linear_scale + after.linear_scale);
        const double angular =
            (after.angular - before.angular).norm() / (before.angular_scale + after.angular_scale);
        touched += r.collisions + r.active_contacts;
        worst = std::max(worst, angular);
        worst_linear = std::max(worst_linear, linear);
      }
    }
    EXPECT_GT(touched, 30) << scheme_name;
    EXPECT_LE(worst_linear, 1e-12) << scheme_name;
    EXPECT_LE(worst, 1e-12) << scheme_name;
  }
}

TEST(Momentum, SpheresThatMeetKeepIt) {
  keep_momenta(true);
}
TEST(Momentum, BodiesOfAllShapesThatMeetKeepIt) {
  keep_momenta(false);
}

// A ball that slides and rolls on a plane: friction acts at the contact point, about whose normal
// it has no torque, whatever the spin. Rounding of a step is 1e-16 of the spin.
TEST(Momentum, FrictionTurnsABallOnlyAboutAxesInThePlane) {
  for (const auto& [scheme_name, scheme] : schemes()) {
    if (std::holds_alternative<Penalty>(scheme)) continue;
    Random random(8);
    for (int n = 0; n < 20; ++n) {
      const double radius = random.uniform(0.1, 1), h = std::pow(10, random.uniform(-3, -1.7));
      Vec3 velocity = random.vector(4), spin = random.vector(15);
      velocity.z() = 0;
      if (n % 2 == 0) spin.z() = 0;
      ModelDescription d = world(Vec3(0, 0, -g), random.uniform(0.05, 0.8), 0);
      d.bodies = {fixed_halfspace("floor", Vec3::UnitZ()),
                  moving("ball", Sphere{radius}, 2, Vec3(0, 0, radius), velocity, spin)};
      Simulator sim = simulator_of(d, scheme);
      bool turned = false;
      for (int i = 0; i < 50; ++i) {
        const StepReport& r = sim.step(h);
        ASSERT_FALSE(r.failed()) << scheme_name << ' ' << n << ' ' << r.message;
        const Vec3 now = motion(sim, "ball").angular_velocity;
        ASSERT_NEAR(now.z(), spin.z(), 1e-13 * spin.norm()) << scheme_name << ' ' << n << ' ' << i;
        turned = turned || (now - spin).norm() > 0.01 * spin.norm();
      }
      EXPECT_TRUE(turned) << scheme_name << ' ' << n;
    }
  }
}

// The normal of a sphere passes through its centre: without friction its spin stays, on a plane, on
// a hill and against other spheres.
TEST(Momentum, SmoothSpheresKeepTheirSpin) {
  for (const auto& [scheme_name, scheme] : schemes()) {
    Random random(9);
    int touched = 0;
    for (int n = 0; n < 20; ++n) {
      ModelDescription d = encounter(random, true, true);
      if (n % 2 == 0) {
        BodyDescription hill = fixed_halfspace("hill", Vec3::UnitZ());
        hill.shapes = {{Sphere{1}, Pose{}, "default"}};
        hill.position = Vec3(0, -1.2, 0);
        d.bodies.push_back(hill);
      }
      Simulator sim = simulator_of(d, scheme);
      for (int i = 0; i < 40; ++i) {
        const StepReport& r = sim.step(0.01);
        ASSERT_FALSE(r.failed()) << scheme_name << ' ' << n << ' ' << r.message;
        touched += r.collisions + r.active_contacts;
        for (const BodyDescription& body : d.bodies) {
          if (body.fixed) continue;
          const Vec3 change = motion(sim, body.name).angular_velocity - body.angular_velocity;
          ASSERT_LE(change.norm(), 1e-12 * body.angular_velocity.norm())
              << scheme_name << ' ' << n << ' ' << i;
        }
      }
    }
    EXPECT_GT(touched, 30) << scheme_name;
  }
}

}  // namespace
}  // namespace cairn::test_momentum
