// The code of docs/api-tour.md, block by block between the marks; a test compares the two.
// [block]
#include <algorithm>
#include <cstdio>

#include "cairn/distance.hpp"
#include "cairn/scene.hpp"
#include "cairn/simulator.hpp"

using namespace cairn;
// [end]

int main(int, char** argv) {
  // [block]
  BodyDescription floor;
  floor.name = "floor";
  floor.fixed = true;
  floor.shapes = {{Halfspace{.normal = Vec3::UnitZ()}, Pose{}, "default"}};

  BodyDescription box;
  box.name = "box";
  box.mass = 2;                    // [kg], the inertia comes from the shapes
  box.position = Vec3(0, 0, 0.5);  // of the body frame [m]
  box.velocity = Vec3(3, 0, 0);    // [m/s]
  box.shapes = {{Box{.size = Vec3(1, 1, 1)}, Pose{}, "default"}};

  ModelDescription world;
  world.gravity = Vec3(0, 0, -9.81);
  world.materials = {{"default", Material{.friction = 0.5, .restitution = 0}}};
  world.bodies = {floor, box};
  // [end]

  // [block]
  BodyDescription bob;
  bob.name = "bob";
  bob.mass = 0.2;
  bob.position = Vec3(0, 0, 2);
  bob.velocity = Vec3(-1, 0, 0);         // of the body frame's origin
  bob.angular_velocity = Vec3(0, 1, 0);  // in the world: the hinge is at rest
  bob.shapes = {{Sphere{.radius = 0.1}, Pose{}, "default"}};
  world.bodies.push_back(bob);

  JointDescription hinge;
  hinge.name = "hinge";
  hinge.type = RevoluteJoint{.axis = Vec3::UnitY()};
  hinge.bodies = {"world", "bob"};
  hinge.anchors = {Vec3(0, 0, 3), Vec3(0, 0, 1)};
  world.joints = {hinge};
  // [end]

  // [block]
  const Result<BuiltModel> built = build(world);
  if (!built) {
    for (const Error& error : built.error()) std::puts(error.text().c_str());
    return 3;
  }
  Simulator sim(built->model, *built->initial, Euler{.gamma = 1}, Auto{.tolerance = 1e-10});
  // [end]

  // [block]
  double heat = 0, push = 0;  // [J], [N]
  while (sim.state().t < 1) {
    const StepReport& report = sim.step(0.01);
    if (report.status != StepStatus::certified) {
      const SolveRecord& solve = report.solves[static_cast<std::size_t>(report.worst_solve)];
      const int row = solve.solution.certificate.worst_constraint;
      std::printf("step %ld: residual %g at %s %s\n", static_cast<long>(report.step),
                  report.certificate, constraint_name(sim.model(), solve.problem, row).c_str(),
                  report.message.c_str());
      return 4;
    }
    heat += report.ledger.friction;
    for (const ContactReport& c : report.contacts) push = std::max(push, c.impulse[0] / report.h);
  }
  // [end]

  // [block]
  const BodyMotion m = body_motion(sim.model(), sim.state(), sim.model().find_body("box").value());
  std::printf("box stopped at x = %.4f m, friction made %.3f J, a corner carried up to %.3f N\n",
              m.position.x(), heat, push);
  std::printf("joint error %.1e m, energy %.6f J, imbalance of the ledger %.1e J\n",
              sim.joint_error(), sim.kinetic_energy() + sim.potential_energy(),
              sim.report().ledger.imbalance());
  // [end]

  // [block]
  const State saved = sim.state();
  sim.step(0.01);
  const std::uint64_t first = hash(sim.state());
  sim.set_state(saved);
  sim.step(0.01);
  if (hash(sim.state()) != first) return 1;  // never: a state is all that a restart needs
  // [end]

  // [block]
  const BodyPart block{sim.model().find_body("box").value()},
      pendulum{sim.model().find_body("bob").value()};
  const Result<Distance> apart = measure_distance(sim.model(), sim.state(), block, pendulum);
  if (!apart) return 3;
  std::printf("gap %.4f m; moving the bob up changes it by %.3f m/m\n", apart->gap,
              apart->gap_gradient.b.translation.z());
  // [end]

  // [block]
  const std::string file = argv[1];
  const Result<Scene> scene = load_scene(file, {"simulation.step=0.02"});
  if (!scene) {
    for (const Error& error : scene.error()) std::puts(error.text().c_str());
    return 3;
  }
  Simulator pile(scene->model, *scene->initial, scene->simulation.scheme, scene->simulation.solver,
                 scene->simulation.verdict);
  pile.step(scene->simulation.step);
  // [end]

  // [block]
  const Problem& problem = pile.report().solves.front().problem;
  SolverWorkspace workspace;
  Solution solution;
  solve(problem, Nsgs{.tolerance = 1e-6}, workspace, solution);
  const Certificate judged = certify(problem, solution.v, solution.lambda);
  std::printf("%d rows, residual %.1e: %s\n", problem.rows(), judged.worst,
              judged.within(1e-6) ? "certified" : "not certified");
  // [end]
  return judged.within(1e-6) ? 0 : 1;
}
