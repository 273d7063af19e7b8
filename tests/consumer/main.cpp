// A ball falls onto a floor; prints the certificate of every step and fails if one is missing.
#include <cstdio>

#include "cairn/simulator.hpp"

int main() {
  cairn::BodyDescription floor, ball;
  floor.name = "floor";
  floor.fixed = true;
  floor.shapes = {{cairn::Halfspace{cairn::Vec3::UnitZ()}, {}, "default"}};
  ball.name = "ball";
  ball.mass = 1;
  ball.position = {0, 0, 0.6};
  ball.shapes = {{cairn::Sphere{0.5}, {}, "default"}};
  cairn::ModelDescription world;
  world.materials = {{"default", {.friction = 0.5, .restitution = 0}}};
  world.bodies = {floor, ball};

  const auto built = cairn::build(world);
  if (!built) {
    for (const cairn::Error& error : built.error()) std::puts(error.text().c_str());
    return 1;
  }
  cairn::Simulator sim(built->model, *built->initial);
  for (int i = 0; i < 50; ++i) {
    const cairn::StepReport& report = sim.step(0.01);
    std::printf("step %d certificate %.1e\n", i + 1, report.certificate);
    if (report.status != cairn::StepStatus::certified) return 1;
  }
  const auto ball_id = sim.model().find_body("ball").value();
  const double height = cairn::body_motion(sim.model(), sim.state(), ball_id).position.z();
  std::printf("certified, at rest at %.12f m\n", height);
  return height == 0.5 ? 0 : 1;
}
