#include "bench/packing.hpp"

#include <algorithm>
#include <fmt/format.h>

#include "cairn/simulator.hpp"

namespace cairn::bench {
namespace {

constexpr double step = 0.01;  // [s]

double random_unit(std::uint64_t& state) {  // splitmix64
  std::uint64_t z = (state += 0x9e3779b97f4a7c15ULL);
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ULL;
  z = (z ^ (z >> 27)) * 0x94d049bb133111ebULL;
  return static_cast<double>((z ^ (z >> 31)) >> 11) * 0x1.0p-53;
}

BodyDescription wall(const std::string& name, const Vec3& normal, const Vec3& position) {
  BodyDescription body;
  body.name = name;
  body.fixed = true;
  body.position = position;
  body.shapes.emplace_back().geometry = Halfspace{normal};
  return body;
}

// Diameters of 0.08 to 0.1 m in a box that the lattice nearly fills.
ModelDescription loose_lattice(int side, std::uint64_t seed) {
  ModelDescription scene;
  scene.name = "packing";
  scene.materials = {{"default", {.friction = 0.5, .restitution = 0}}};
  const double cell = 0.101, width = cell * side;
  scene.bodies.push_back(wall("floor", Vec3::UnitZ(), Vec3::Zero()));
  scene.bodies.push_back(wall("left", Vec3::UnitX(), Vec3::Zero()));
  scene.bodies.push_back(wall("right", -Vec3::UnitX(), Vec3(width, 0, 0)));
  scene.bodies.push_back(wall("front", Vec3::UnitY(), Vec3::Zero()));
  scene.bodies.push_back(wall("rear", -Vec3::UnitY(), Vec3(0, width, 0)));
  for (int i = 0; i < side * side * side; ++i) {
    BodyDescription ball;
    ball.name = fmt::format("sphere{:06}", i);
    ball.density = 2500;
    const double radius = 0.04 + 0.01 * random_unit(seed);
    ball.shapes.emplace_back().geometry = Sphere{radius};
    const Vec3 corner(i % side, i / side % side, i / (side * side));
    for (int k = 0; k < 3; ++k)
      ball.position[k] =
          cell * (corner[k] + 0.5) + (0.5 * cell - radius) * (2 * random_unit(seed) - 1);
    scene.bodies.push_back(ball);
  }
  return scene;
}

// The impulse of contact i on its body `side` in the world; the first three velocities of a sphere
// are those of its centre.
Vec3 world_impulse(const Problem& problem, const VecX& lambda, std::size_t i, int side) {
  Vec3 sum = Vec3::Zero();
  const Constraint& c = problem.constraints[i];
  for (int r = 0; r < c.rows; ++r)
    for (int k = 0; k < 3; ++k) sum[k] += c.J[side][r][k] * lambda[problem.first_row[i] + r];
  return sum;
}

VecX recalled(const Problem& before, const VecX& lambda, const Problem& now) {
  VecX warm = VecX::Zero(now.rows());
  for (std::size_t i = 0; i < now.constraints.size(); ++i) {
    const Constraint& c = now.constraints[i];
    const auto found = std::lower_bound(
        before.constraints.begin(), before.constraints.end(), c.key.contact,
        [](const Constraint& a, const ContactKey& key) { return a.key.contact < key; });
    if (found == before.constraints.end() || found->key.contact != c.key.contact) continue;
    const int side = c.body[0] >= 0 ? 0 : 1;
    const Vec3 impulse = world_impulse(
        before, lambda, static_cast<std::size_t>(found - before.constraints.begin()), side);
    for (int r = 0; r < c.rows; ++r)
      for (int k = 0; k < 3; ++k) warm[now.first_row[i] + r] += c.J[side][r][k] * impulse[k];
  }
  return warm;
}

}  // namespace

Packing settled_spheres(int side, int steps, std::uint64_t seed, double tolerance) {
  const Result<BuiltModel> built = build(loose_lattice(side, seed));
  CAIRN_CHECK(built);
  Simulator falling(built->model, *built->initial, Euler{},
                    Nsgs{.tolerance = 1e-3, .max_sweeps = 60});
  for (int i = 0; i + 2 < steps; ++i) falling.step(step);
  Simulator settled(built->model, falling.state(), Euler{},
                    Nsgs{.tolerance = tolerance, .max_sweeps = 3000});
  const StepReport& report = settled.step(step);
  const SolveRecord before = report.solves.back();
  settled.step(step);
  Packing packing;
  packing.problem = report.solves.back().problem;
  packing.warm = recalled(before.problem, before.solution.lambda, packing.problem);
  return packing;
}

}  // namespace cairn::bench
