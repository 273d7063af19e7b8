// Random springs and dampers over the decades of stiffness, damping and step: the energy of poses
// and velocities never rises above that of the beginning. CAIRN_SOAK=1 runs thousands of cases.
#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <fmt/format.h>

#include "system/worlds.hpp"

namespace cairn::test_spring_family {
namespace {

using namespace testing;

enum Kind { pendulum, pair, damper, chain, bricks, kinds };
constexpr const char* names[] = {"pendulum", "pair", "damper", "chain", "bricks"};

struct Case {
  ModelDescription model;
  double h = 0, k = 0, c = 0;
};

BodyDescription some_body(Random& random, int number, const Vec3& at, bool brick) {
  const std::string name = fmt::format("b{}", number);
  const double mass = std::pow(10, random.uniform(-1, 1));
  const Vec3 v = random.vector(2);
  if (!brick) {
    BodyDescription point = particle(name, "x y z", at, v);
    point.mass = mass;
    return point;
  }
  const Vec3 half = Vec3(0.15, 0.15, 0.15) + random.vector(0.1);
  BodyDescription body = moving(name, Box{2 * half}, mass, at, v, random.vector(6));
  const Vec3 axis = random.vector(1).normalized();
  body.orientation = Quat(Eigen::AngleAxisd(random.uniform(0, 3), axis));
  return body;
}

// Anchors off the centres of bricks.
struct End {
  std::string body = "world";
  Vec3 anchor = Vec3::Zero(), at = Vec3::Zero();
};
End end_of(Random& random, const BodyDescription& body, bool brick) {
  const Vec3 anchor = brick ? random.vector(0.1) : Vec3(0, 0, 0);
  return {body.name, anchor, body.position + body.orientation * anchor};
}

// Stiff: the step does not resolve it; schemes of first order have the swing of a rod there.
Case make_case(Kind kind, Random& random, bool stiff) {
  Case out;
  out.h = std::pow(10, random.uniform(-4, -1));
  out.k = std::pow(10, random.uniform(1, 12));
  if (stiff) out.k = std::min(1e12, std::max(out.k, 1600 / (out.h * out.h)));
  out.c = random.below(3) == 0 ? std::pow(10, random.uniform(-1, 9)) : 0;
  if (kind == damper) {
    out.k = 0;
    out.c = std::pow(10, random.uniform(-1, 9));
  }
  out.model = world(kind == pendulum || random.below(2) == 0 ? Vec3(0, 0, -g) : Vec3::Zero(), 0, 0);
  const bool brick = kind == bricks || random.below(2) == 0;
  const bool held = kind == pendulum || (kind != pair && kind != bricks && random.below(2) == 0);
  const int count = kind == pendulum ? 1 : kind == chain ? 3 + random.below(3) : 2;
  const double stretch =
      random.below(2) == 0 ? 0 : random.uniform(-0.1, 0.1) * std::min(1.0, std::sqrt(1e3 / out.k));
  const auto tie = [&](const End& a, const End& b) {
    SpringDescription s;
    s.bodies = {a.body, b.body};
    s.anchors = {a.anchor, b.anchor};
    s.stiffness = out.k;
    s.damping = out.c;
    s.rest_length = kind == damper ? 0 : (b.at - a.at).norm() - stretch;
    out.model.forces.push_back(s);
  };
  Vec3 at = random.vector(1).normalized();
  for (int i = 0; i < count; ++i) {
    const BodyDescription body = some_body(random, i, at, brick);
    if (i > 0)
      tie(end_of(random, out.model.bodies.back(), brick), end_of(random, body, brick));
    else if (held)
      tie(End{}, end_of(random, body, brick));
    for (const BodyDescription& other : out.model.bodies)
      out.model.no_contact.push_back({other.name, body.name});
    out.model.bodies.push_back(body);
    at += random.vector(1).normalized();
  }
  return out;
}

struct Energy {
  double moves = 0;    // kinetic energy and that of springs [J]
  double gravity = 0;  // [J]
  double sum() const { return moves + gravity; }
};

// From poses and velocities alone.
Energy energy_of(const Model& model, const State& state) {
  Energy e;
  for (std::size_t i = 0; i < model.bodies.size(); ++i) {
    const Body& body = model.bodies[i];
    const Vec3 v = state.v.segment<3>(body.first_velocity);
    e.moves += 0.5 * body.mass * v.squaredNorm();
    e.gravity -= body.mass * model.gravity.dot(state.poses[i].p);
    if (body.velocities < 6) continue;
    const Vec3 w = state.v.segment<3>(body.first_velocity + 3);
    e.moves += 0.5 * w.dot(body.inertia_B * w);
  }
  for (const Spring& spring : model.springs) {
    Vec3 p[2];
    for (std::size_t side = 0; side < 2; ++side)
      p[side] = spring.bodies[side] == BodyId::world
                    ? spring.anchors[side]
                    : Vec3(state.poses[static_cast<std::size_t>(spring.bodies[side])] *
                           spring.anchors[side]);
    const double stretch = (p[1] - p[0]).norm() - spring.rest_length;
    e.moves += 0.5 * spring.stiffness * stretch * stretch;
  }
  return e;
}

// Largest rise over the energy that has moved, and the steps that were accepted up to the first one
// that was not.
struct Rise {
  double largest = 0;
  int steps = 0;
};
Rise rise_of(const Case& c, const SchemeOptions& scheme, int steps) {
  const Result<BuiltModel> built = build(c.model);
  Simulator sim(built.value().model, *built.value().initial, scheme, Auto{}, VerdictOptions{});
  const Energy start = energy_of(sim.model(), sim.state());
  double scale = start.moves;
  Rise out;
  for (; out.steps < steps; ++out.steps) {
    const StepReport& r = sim.step(c.h);
    if (r.failed() || !r.verdict.accepted()) break;
    const Energy now = energy_of(sim.model(), sim.state());
    scale = std::max(scale, start.moves + std::abs(now.gravity - start.gravity));
    out.largest = std::max(out.largest, (now.sum() - start.sum()) / scale);
  }
  return out;
}

// Rounding: a length rounds by some 1e-16, the energy k s ds of 1e12 N/m by 1e-11 of itself a step.
void never_gain(const SchemeOptions& scheme, bool stiff) {
  const bool soak = std::getenv("CAIRN_SOAK") != nullptr;
  const int cases = soak ? 1000 : 20, steps = soak ? 100 : 40;
  for (int kind = 0; kind < kinds; ++kind) {
    Random random(static_cast<std::uint64_t>(100 + kind));
    int whole = 0;
    for (int n = 0; n < cases; ++n) {
      const Case c = make_case(static_cast<Kind>(kind), random, stiff);
      const Rise rise = rise_of(c, scheme, steps);
      EXPECT_LE(rise.largest, 1e-9) << name(scheme) << ' ' << names[kind] << ' ' << n << " h "
                                    << c.h << " k " << c.k << " c " << c.c;
      whole += rise.steps == steps ? 1 : 0;
    }
    EXPECT_GE(whole, 0.8 * cases) << name(scheme) << ' ' << names[kind];
  }
}

TEST(SpringFamily, TrapezoidalNeverGains) {
  never_gain(Trapezoidal{}, false);
}

TEST(SpringFamily, StiffOnesNeverGainInEuler) {
  never_gain(Euler{}, true);
}

TEST(SpringFamily, StiffOnesNeverGainInRelaxed) {
  never_gain(Relaxed{}, true);
}

}  // namespace
}  // namespace cairn::test_spring_family
