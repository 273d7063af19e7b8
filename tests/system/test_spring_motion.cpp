// Stiff springs and dampers that turn (E460 to E468): pendulums and pairs over twelve decades of
// stiffness and three of the step, against the same pendulum on a distance joint, conservation of
// energy and angular momentum, and the order of the scheme.
#include <algorithm>
#include <cmath>

#include "system/worlds.hpp"

namespace cairn::test_spring_motion {
namespace {

using namespace testing;

struct Element {
  double stiffness = 0, damping = 0;
};

// A mass on a spring of rest length one about the origin, or on a rod.
ModelDescription pendulum(const Vec3& position, const Vec3& velocity, const Element* element) {
  ModelDescription d = world(Vec3(0, 0, -g), 0, 0);
  d.bodies = {particle("p", "x y z", position, velocity)};
  if (element) {
    SpringDescription s;
    s.bodies = {"world", "p"};
    s.stiffness = element->stiffness;
    s.damping = element->damping;
    s.rest_length = 1;
    d.forces = {s};
  } else {
    JointDescription j;
    j.name = "rod";
    j.type = DistanceJoint{1};
    j.bodies = {"world", "p"};
    d.joints = {j};
  }
  return d;
}

double energy(const Simulator& sim) {
  return sim.kinetic_energy() + sim.potential_energy();
}

struct Swing {
  double gain = 0, loss = 0;  // largest rise above the start, fall until the end [J]
};

Swing swing(const ModelDescription& d, const SchemeOptions& scheme, double h, double duration) {
  Simulator sim = simulator_of(d, scheme);
  const double start = energy(sim);
  Swing result;
  for (int i = 0; i < static_cast<int>(std::lround(duration / h)); ++i) {
    const StepReport& r = sim.step(h);
    EXPECT_FALSE(r.failed()) << r.message;
    EXPECT_TRUE(r.verdict.solve.ok) << r.certificate;
    if (r.failed()) break;
    result.gain = std::max(result.gain, energy(sim) - start);
  }
  result.loss = start - energy(sim);
  return result;
}

// Horizontal from rest, a small swing, or a push: the swing of what the step does not resolve is
// that of the pendulum on a rod. It never gains, and loses at most 1.2 times as much.
TEST(SpringPendulum, StiffOneSwingsLikeARod) {
  for (const SchemeOptions& scheme :
       {SchemeOptions(Euler{}), SchemeOptions(Hybrid{}), SchemeOptions(Trapezoidal{})}) {
    Random random(5);
    const bool second = std::holds_alternative<Trapezoidal>(scheme);
    for (int n = 0; n < 25; ++n) {
      const double h = std::pow(10, random.uniform(-3, -1));
      // h^2 k/m above 4: below that the vibration along the spring has energy of its own.
      const double k = std::max(4 / (h * h), std::pow(10, random.uniform(2, 12)));
      const double c = n % 3 == 0 ? std::pow(10, random.uniform(0, 9)) : 0;
      const double angle = random.uniform(0.1, 1.6);
      const Vec3 at(std::sin(angle), 0, -std::cos(angle));
      const Vec3 v(0, n % 2 == 0 ? 0 : random.uniform(0, 3), 0);
      const Element element{k, c};
      const double scale = 0.5 * v.squaredNorm() + g * (1 + at.z()), duration = h < 0.005 ? 0.5 : 2;
      const Swing spring = swing(pendulum(at, v, &element), scheme, h, duration),
                  rod = swing(pendulum(at, v, nullptr), scheme, h, duration);
      // What gravity stores in the spring, m^2 g^2/2k, comes from the swing; the trapezoidal rule
      // returns it. Rounding of the length times the stiffness, once a step.
      const double stored = 0.5 * 9 * g * g / k, rounding = 1e-10 * scale;
      EXPECT_LE(spring.gain, rounding) << name(scheme) << " h " << h << " k " << k << " c " << c;
      if (!second || h < 0.02) {
        EXPECT_LE(spring.loss, 1.2 * std::max(0.0, rod.loss) + stored + rounding)
            << name(scheme) << " h " << h << " k " << k << " c " << c << " rod " << rod.loss;
      }
    }
  }
}

// Two particles and two spheres with anchors on their surfaces that turn about each other:
// momentum, angular momentum and, under the trapezoidal rule between particles, energy stay to
// rounding.
TEST(SpringPair, KeepsMomentaAndGainsNothing) {
  for (const SchemeOptions& scheme :
       {SchemeOptions(Euler{}), SchemeOptions(Hybrid{}), SchemeOptions(Trapezoidal{})}) {
    Random random(9);
    const bool second = std::holds_alternative<Trapezoidal>(scheme);
    for (int n = 0; n < 30; ++n) {
      const double h = std::pow(10, random.uniform(-4, -1));
      const double k = std::max(4 / (h * h), std::pow(10, random.uniform(2, 12)));
      ModelDescription d = world(n % 2 == 0 ? Vec3::Zero() : Vec3(0, 0, -g), 0, 0);
      const Vec3 apart = Vec3(1, random.uniform(-1, 1), 0).normalized();
      d.bodies = {particle("a", "x y z", Vec3::Zero(), random.vector(1)),
                  particle("b", "x y z", apart, random.vector(1))};
      d.bodies[1].mass = std::pow(10, random.uniform(-1, 1));
      d.no_contact.push_back({"a", "b"});
      SpringDescription s;
      s.bodies = {"a", "b"};
      s.stiffness = k;
      s.rest_length = 1;
      d.forces = {s};
      // What separates them at first is not turning: it goes into the spring.
      const Vec3 along = apart * apart.dot(d.bodies[1].velocity - d.bodies[0].velocity);
      d.bodies[1].velocity -= along;
      Simulator sim = simulator_of(d, scheme);
      const auto momenta = [&](Vec3& L) {
        Vec3 P = Vec3::Zero();
        L = Vec3::Zero();
        Vec3 center = Vec3::Zero();
        double mass = 0;
        for (std::size_t i = 0; i < 2; ++i) {
          const Body& body = sim.model().bodies[i];
          P += body.mass * sim.state().v.segment<3>(body.first_velocity);
          center += body.mass * sim.state().poses[i].p;
          mass += body.mass;
        }
        for (std::size_t i = 0; i < 2; ++i) {
          const Body& body = sim.model().bodies[i];
          L += (sim.state().poses[i].p - center / mass)
                   .cross(body.mass * (sim.state().v.segment<3>(body.first_velocity) - P / mass));
        }
        return P;
      };
      Vec3 L0, L;
      const Vec3 P0 = momenta(L0);
      const double start = energy(sim),
                   speed = (d.bodies[1].velocity - d.bodies[0].velocity).norm();
      const int steps = 100;
      for (int i = 0; i < steps; ++i) {
        if (!certified_step(sim, h)) break;
        const Vec3 P = momenta(L);
        const double mass = 1 + *d.bodies[1].mass, t = h * (i + 1);
        EXPECT_LE((P - P0 - t * mass * sim.model().gravity).norm(),
                  1e-12 * (P0.norm() + mass * (speed + g * t)) * (i + 1));
        EXPECT_LE((L - L0).norm(), 1e-12 * (i + 1) * std::max(L0.norm(), speed * 0.1))
            << name(scheme) << " h " << h << " k " << k << ' ' << i;
        // Relative to the energy that turns. Under `hybrid` what falls has the loss of the fall of
        // `euler` set against the gain of the first chord, (h w)^2/4 of the energy.
        const bool falls = std::holds_alternative<Hybrid>(scheme) && n % 2 == 1;
        const double turn = falls ? 0.25 * h * h * speed * speed : 0;
        EXPECT_LE(energy(sim) - start,
                  (1e-10 + turn) * (speed * speed + std::abs(start) + g * g * t * t))
            << name(scheme) << " h " << h << " k " << k << ' ' << i;
      }
      if (second) {
        EXPECT_NEAR(energy(sim), start,
                    1e-10 * (speed * speed + std::abs(start) + 1 + std::pow(g * h * steps, 2)));
      }
    }
  }
}

// Momentum and angular momentum of all bodies about their common centre, and the scale of the
// latter; any moments of inertia.
struct Momenta {
  Vec3 linear = Vec3::Zero(), angular = Vec3::Zero();
  double scale = 0;
};
Momenta momenta_of(const Simulator& sim) {
  const Model& model = sim.model();
  Momenta sum;
  Vec3 center = Vec3::Zero();
  double mass = 0;
  for (std::size_t i = 0; i < model.bodies.size(); ++i) {
    const Body& body = model.bodies[i];
    sum.linear += body.mass * sim.state().v.segment<3>(body.first_velocity);
    center += body.mass * sim.state().poses[i].p;
    mass += body.mass;
  }
  for (std::size_t i = 0; i < model.bodies.size(); ++i) {
    const Body& body = model.bodies[i];
    const Vec3 v = sim.state().v.segment<3>(body.first_velocity) - sum.linear / mass,
               w = sim.state().v.segment<3>(body.first_velocity + 3);
    const Vec3 orbit = (sim.state().poses[i].p - center / mass).cross(body.mass * v),
               own = sim.state().poses[i].R * (body.inertia_B * w);
    sum.angular += orbit + own;
    sum.scale += orbit.norm() + own.norm();
  }
  return sum;
}

// Bricks with anchors at their corners, of unequal moments of inertia: the spring's impulses act
// where the drift of the rotation has taken the bodies (E420, E423, E460, E465).
TEST(SpringPair, BricksKeepTheirMomenta) {
  for (const SchemeOptions& scheme :
       {SchemeOptions(Euler{}), SchemeOptions(Hybrid{}), SchemeOptions(Trapezoidal{})}) {
    Random random(17);
    for (int n = 0; n < 20; ++n) {
      const double h = std::pow(10, random.uniform(-3.5, -2));
      ModelDescription d = world(n % 2 == 0 ? Vec3::Zero() : Vec3(0, 0, -g), 0, 0);
      const Vec3 half(0.05, 0.1, 0.2);
      d.bodies = {moving("a", Box{2 * half}, 1, Vec3::Zero(), random.vector(1), random.vector(5)),
                  moving("b", Box{2 * half}, std::pow(10, random.uniform(-1, 1)), Vec3(1, 0, 0),
                         random.vector(1), random.vector(5))};
      d.no_contact.push_back({"a", "b"});
      SpringDescription s;
      s.bodies = {"a", "b"};
      s.anchors = {half, -half};
      s.stiffness = std::pow(10, random.uniform(-2, 4)) / (h * h);
      s.damping = n % 3 == 0 ? std::pow(10, random.uniform(-2, 2)) / h : 0;
      s.rest_length = (Vec3(1, 0, 0) - 2 * half).norm();
      d.forces = {s};
      Simulator sim = simulator_of(d, scheme);
      for (int i = 0; i < 50; ++i) {
        const Momenta before = momenta_of(sim);
        if (!certified_step(sim, h)) break;
        const Momenta after = momenta_of(sim);
        const double error = (after.angular - before.angular).norm() / (before.scale + after.scale);
        ASSERT_LE(error, 1e-12) << name(scheme) << ' ' << n << ' ' << i << " h " << h << " k "
                                << s.stiffness << " c " << s.damping;
      }
    }
  }
}

// Where the step resolves the motion the trapezoidal rule is of second order: halving the step
// takes the error to a quarter.
TEST(SpringPendulum, TrapezoidalIsOfSecondOrder) {
  for (const Element element : {Element{100, 0}, Element{1000, 3}, Element{50, 0.5}}) {
    const auto end = [&](double h) {
      Simulator sim = trapezoidal(pendulum(Vec3(1, 0, 0.2), Vec3(0, 1, 0), &element));
      certified_run(sim, h, 1);
      return motion(sim, "p").position;
    };
    const Vec3 coarse = end(1 / 128.0), middle = end(1 / 256.0), fine = end(1 / 512.0);
    const double order = std::log2((coarse - middle).norm() / (middle - fine).norm());
    EXPECT_NEAR(order, 2, 0.15) << element.stiffness;
  }
}

// A vertical oscillator: x'' = -k x/m about its rest, with the frequency of the trapezoidal rule,
// tan(w' h/2) = w h/2, to rounding (Hairer, Lubich and Wanner, section VI.1).
TEST(SpringOscillator, HasTheFrequencyOfTheRule) {
  for (const double k : {10.0, 400.0, 1e5}) {
    const double h = 0.01, w = std::sqrt(k), numerical = 2 / h * std::atan(w * h / 2);
    ModelDescription d = world(Vec3::Zero(), 0, 0);
    d.bodies = {particle("p", "x", Vec3(1.1, 0, 0))};
    SpringDescription s;
    s.bodies = {"world", "p"};
    s.stiffness = k;
    s.rest_length = 1;
    d.forces = {s};
    Simulator sim = trapezoidal(d);
    for (int i = 1; i <= 200; ++i) {
      if (!certified_step(sim, h)) break;
      ASSERT_NEAR(motion(sim, "p").position.x() - 1, 0.1 * std::cos(numerical * i * h), 1e-12 * i)
          << k << ' ' << i;
    }
  }
}

}  // namespace
}  // namespace cairn::test_spring_motion
