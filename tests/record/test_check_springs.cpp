// check_trace() and the ledger of runs on stiff springs: what is recorded is what the step did,
// also where it went back to an earlier solve or found a collision by solving.
#include <cmath>

#include "record/sample.hpp"

namespace cairn::test_check_springs {
namespace {

using sample::Folder;

// Two spheres on a stiff spring fall on a floor: the step is too long for the spring, a part that
// ends at the collision is not.
constexpr const char* dumbbell = R"({
  "cairn": 1, "name": "dumbbell", "gravity": [0, 0, -9.81],
  "materials": {"default": {"friction": 0.3, "restitution": 0.5}},
  "bodies": [
    {"name": "floor", "fixed": true, "shapes": [{"type": "halfspace", "normal": [0, 0, 1]}]},
    {"name": "a", "mass": 1, "position": [0, 0, 0.3], "velocity": [0, 0, -1],
     "shapes": [{"type": "sphere", "radius": 0.1}]},
    {"name": "b", "mass": 2, "position": [0.4, 0, 0.6], "velocity": [0, 0, -1],
     "shapes": [{"type": "sphere", "radius": 0.1}]}],
  "forces": [{"type": "spring", "bodies": ["a", "b"], "stiffness": 1e5, "rest_length": 0.5,
              "damping": 1}],
  "simulation": {"scheme": {"type": "trapezoidal"}, "step": 0.01, "duration": 0.4}
})";

// A light plate and a capsule on a stiff spring hit a floor: in a step the guard takes all
// restitution away, and the step goes back to its plastic solve.
constexpr const char* plate = R"({
  "cairn": 1, "name": "plate", "gravity": [0, 0, -9.81],
  "materials": {"default": {"friction": 0.5, "restitution": 0.3}},
  "bodies": [
    {"name": "floor", "fixed": true, "shapes": [{"type": "halfspace", "normal": [0, 0, 1]}]},
    {"name": "plate", "mass": 0.042, "orientation": [0.56, -0.17, -0.28, 0.76],
     "position": [0.053, -0.23, 0.35], "velocity": [4.7, -1.1, -1.8],
     "shapes": [{"type": "box", "size": [0.39, 0.19, 0.039]}]},
    {"name": "capsule", "mass": 1.1, "orientation": [0.68, -0.68, -0.11, 0.25],
     "position": [0.06, -0.086, 0.84], "velocity": [-2.6, -2.2, -0.93],
     "shapes": [{"type": "capsule", "radius": 0.058, "length": 0.11}]}],
  "forces": [{"type": "spring", "bodies": ["capsule", "plate"], "stiffness": 3e5,
              "rest_length": 0.52, "damping": 30}],
  "simulation": {"scheme": {"type": "euler"}, "step": 0.016666666666666666, "duration": 0.4}
})";

// Runs and records the scene. The terms of every ledger add up: sums of a few dozen terms round to
// 1e-12 of the largest, and 1e-9 of it is the limit of check. Returns the smallest guard factor.
double run(const char* text) {
  const Result<Scene> scene = parse_scene(text, "springs.json", {});
  EXPECT_TRUE(scene) << (scene ? "" : scene.error().front().text());
  const Folder folder;
  const std::string file = folder.file("trace.cairn");
  Simulator simulator(scene->model, *scene->initial, scene->simulation.scheme,
                      scene->simulation.solver, scene->simulation.verdict);
  Result<TraceWriter> writer = TraceWriter::create(file, scene->resolved);
  EXPECT_TRUE(writer);
  EXPECT_TRUE(writer->append_initial(*scene->initial));
  double least = 1;
  for (double t = 0; t < 0.4; t += scene->simulation.step) {
    const StepReport& report = simulator.step(scene->simulation.step);
    EXPECT_EQ(report.status, StepStatus::certified) << report.message;
    const Ledger& l = report.ledger;
    EXPECT_LE(std::abs(l.imbalance()), 1e-9 * (l.kinetic_start + std::abs(l.potential_start)))
        << "step " << report.step;
    least = std::min(least, report.guard_factor);
    EXPECT_TRUE(writer->append(report, simulator.state()));
  }
  EXPECT_TRUE(writer->finish());
  const Result<CheckReport> checked = check_trace(file);
  EXPECT_TRUE(checked && checked->ok)
      << (checked && !checked->findings.empty() ? checked->findings.front().what : "");
  return least;
}

TEST(CheckSprings, CollisionsOfStiffSpringsAreFoundBySolving) {
  run(dumbbell);
}

TEST(CheckSprings, StepsThatGoBackToThePlasticSolveRememberIt) {
  EXPECT_EQ(run(plate), 0);
}

}  // namespace
}  // namespace cairn::test_check_springs
