#include "bench/plates.hpp"

#include <algorithm>

#include "cairn/simulator.hpp"

namespace cairn::bench {
namespace {

struct PlateMotion {
  const char* name;
  Vec3 center;    // of the upper plate beside that of the lower one [m]
  Vec3 velocity;  // [m/s]
  double friction;
  int warm_up, steps;
};

PlateCost run(const PlateMotion& motion, bool filter, double (*seconds)()) {
  constexpr double h = 0.01;
  const auto built = build(two_plates(motion.center, motion.velocity, motion.friction));
  CAIRN_CHECK(built);
  Euler scheme;
  scheme.events.filter = filter;
  Simulator sim(built->model, *built->initial, scheme, Auto{});
  sim.set_clock(seconds);
  PlateCost cost{.motion = motion.name, .filter = filter};
  for (int i = 0; i < motion.warm_up + motion.steps; ++i) {
    const StepReport& r = sim.step(h);
    cost.worst = std::max(cost.worst, r.certificate);
    if (i < motion.warm_up) continue;
    cost.contacts += static_cast<double>(r.contacts.size()) / motion.steps;
    cost.detect += 1e3 * r.seconds.detect / motion.steps;
    cost.solve += 1e3 * r.seconds.solve / motion.steps;
    cost.total += 1e3 * r.seconds.total / motion.steps;
  }
  cost.position = sim.state().poses[index(*built->model->find_body("upper"))].p;
  return cost;
}

}  // namespace

std::vector<ShapeDescription> cut_plate(const Vec3& size, int cells) {
  std::vector<ShapeDescription> shapes;
  const double dx = size.x() / cells, dy = size.y() / cells, z = 0.5 * size.z();
  for (int i = 0; i < cells; ++i)
    for (int j = 0; j < cells; ++j) {
      const double x = i * dx - 0.5 * size.x(), y = j * dy - 0.5 * size.y();
      const Vec3 corner[] = {Vec3(x, y, 0), Vec3(x + dx, y, 0), Vec3(x + dx, y + dy, 0),
                             Vec3(x, y + dy, 0)};
      for (const int k : {1, 2}) {
        Hull prism;
        for (const int c : {0, k, k + 1})
          for (const double side : {-z, z}) prism.vertices.push_back(corner[c] + Vec3(0, 0, side));
        shapes.emplace_back().geometry = prism;
      }
    }
  return shapes;
}

ModelDescription two_plates(const Vec3& center, const Vec3& velocity, double friction) {
  ModelDescription d;
  d.gravity = Vec3(0, 0, -9.81);
  d.materials = {{"default", {friction, 0}}};
  BodyDescription lower, upper;
  lower.name = "lower";
  lower.fixed = true;
  lower.position = Vec3(0, 0, -0.05);
  lower.shapes = cut_plate(Vec3(1, 1, 0.1), 5);
  upper.name = "upper";
  upper.mass = 2;
  upper.position = center + Vec3(0, 0, 0.05);
  upper.velocity = velocity;
  upper.shapes = cut_plate(Vec3(0.9, 0.8, 0.1), 5);
  d.bodies = {lower, upper};
  return d;
}

std::vector<PlateCost> plate_costs(double (*seconds)()) {
  const PlateMotion motions[] = {{"at rest", Vec3(0.03, 0.02, 0), Vec3::Zero(), 0.5, 2, 20},
                                 {"sliding", Vec3(-0.13, 0.02, 0), Vec3(1, 0.5, 0), 0.1, 2, 12},
                                 {"tipping", Vec3(0.55, 0.02, 0), Vec3::Zero(), 1.0, 0, 6}};
  std::vector<PlateCost> costs;
  for (const PlateMotion& motion : motions)
    for (const bool filter : {false, true}) costs.push_back(run(motion, filter, seconds));
  return costs;
}

}  // namespace cairn::bench
