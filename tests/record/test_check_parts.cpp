// check_trace() on steps that restarted within themselves: their parts are followed from the file.
#include <functional>

#include "record/check/check.hpp"
#include "record/sample.hpp"

namespace cairn::test_check_parts {
namespace {

using sample::Folder;

// A box that tumbles onto the floor, a disc that bounces and rolls, and a bob that swings into a
// wall: collisions on the cubic, stick events, impacts with a joint.
constexpr const char* scene_text = R"({
  "cairn": 1, "name": "parts", "gravity": [0, -9.81, 0],
  "materials": {"default": {"friction": 0.3, "restitution": 0.4}},
  "bodies": [
    {"name": "floor", "fixed": true, "shapes": [{"type": "halfspace", "normal": [0, 1, 0]}]},
    {"name": "wall", "fixed": true, "position": [7.9, 0, 0], "shapes": [{"type": "halfspace", "normal": [1, 0, 0]}]},
    {"name": "box", "mass": 1, "position": [20, 0.6, 0], "velocity": [1, 0, 0.5],
     "angular_velocity": [1, 2, 3], "shapes": [{"type": "box", "size": [0.4, 0.5, 0.6]}]},
    {"name": "ball", "mass": 1, "position": [12, 0.52, 0], "velocity": [1, 0, 0],
     "angular_velocity": [0, 0, 3], "shapes": [{"type": "sphere", "radius": 0.5}]},
    {"name": "bob", "dof": "x y rz", "mass": 2, "position": [9.2, 3, 0], "shapes": [{"type": "disc", "radius": 0.25}]}],
  "joints": [{"type": "distance", "bodies": ["world", "bob"], "anchors": [[8.4, 3, 0], [0, 0, 0]]}],
  "no_contact": [["wall", "box"], ["wall", "ball"], ["bob", "box"]],
  "simulation": {"scheme": {"type": "trapezoidal"}, "step": 0.01, "duration": 1}
})";

using Lie = std::function<void(StepReport&, State&)>;

// Records the run; `lie` changes the first step with a collision.
CheckReport checked(const Folder& folder, const Lie& lie, std::int64_t& step) {
  const Result<Scene> scene = parse_scene(scene_text, "parts.json");
  EXPECT_TRUE(scene) << (scene ? "" : scene.error().front().text());
  Simulator simulator(scene->model, *scene->initial, scene->simulation.scheme,
                      scene->simulation.solver);
  Result<TraceWriter> writer = TraceWriter::create(folder.file("trace"), scene->resolved);
  EXPECT_TRUE(writer);
  EXPECT_TRUE(writer->append_initial(*scene->initial));
  step = 0;
  int restarted = 0;
  for (int i = 1; i <= 100; ++i) {
    StepReport report = simulator.step(0.01);
    State state = simulator.state();
    if (report.collisions > 0 && step == 0) {
      step = i;
      if (lie) lie(report, state);
    }
    restarted += report.solves.size() > 1 ? 1 : 0;
    EXPECT_TRUE(writer->append(report, state));
  }
  EXPECT_GT(restarted, 5);
  EXPECT_TRUE(writer->finish());
  const Result<CheckReport> report = check_trace(folder.file("trace"));
  EXPECT_TRUE(report);
  return report.value_or(CheckReport{});
}

TEST(CheckParts, RestartedStepsPass) {
  const Folder folder;
  std::int64_t step = 0;
  const CheckReport report = checked(folder, nullptr, step);
  for (const CheckFinding& finding : report.findings)
    ADD_FAILURE() << finding.step << ": " << finding.what;
  EXPECT_TRUE(report.ok);
}

void expect_finding(FindingCode code, const Lie& lie) {
  const Folder folder;
  std::int64_t step = 0;
  const CheckReport report = checked(folder, lie, step);
  EXPECT_FALSE(report.ok) << name(code);
  const bool found =
      std::any_of(report.findings.begin(), report.findings.end(),
                  [&](const CheckFinding& f) { return f.step == step && f.code == code; });
  EXPECT_TRUE(found) << name(code);
}

TEST(CheckParts, LiesAboutRestartedStepsAreFound) {
  // Bodies are numbered in the order of their names: ball, bob, box. One without joints is known to
  // rounding.
  expect_finding(FindingCode::position, [](StepReport&, State& s) { s.poses[2].p.x() += 1e-9; });
  expect_finding(FindingCode::orientation, [](StepReport&, State& s) {
    s.poses[2].R = s.poses[2].R * exp_rotation(Vec3(0, 0, 1e-9));
  });
  expect_finding(FindingCode::parts, [](StepReport& r, State&) { r.solves[0].taken *= 1 - 1e-6; });
  expect_finding(FindingCode::event, [](StepReport& r, State&) { r.events[0].t += 1e-9; });
}

}  // namespace
}  // namespace cairn::test_check_parts
