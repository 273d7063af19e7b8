// check_trace() against forged reports of impacts (E710) and events (E711): one figure is changed
// such that the energies of the impact still add up (E228), and check names it.
#include <functional>

#include "record/sample.hpp"

namespace cairn::test_impact_forgeries {
namespace {

using sample::Folder;
using Lie = std::function<void(StepReport&)>;

// A ball that falls on a floor with a slip and a spin, and two that meet in flight. Each impact has
// a group of its own.
constexpr const char* scene_text = R"({
  "cairn": 1, "name": "impacts", "gravity": [0, 0, -9.81],
  "materials": {"default": {"friction": 0.3, "restitution": 0.5}},
  "bodies": [
    {"name": "floor", "fixed": true, "shapes": [{"type": "halfspace", "normal": [0, 0, 1]}]},
    {"name": "ball", "mass": 1, "position": [0, 0, 0.55], "velocity": [2, 0.5, -1],
     "angular_velocity": [0, 0, 3], "shapes": [{"type": "sphere", "radius": 0.5}]},
    {"name": "left", "mass": 2, "position": [5, 0, 3], "velocity": [4, 0, 0],
     "shapes": [{"type": "sphere", "radius": 0.25}]},
    {"name": "right", "mass": 1, "position": [5.6, 0, 3], "velocity": [-2, 0.1, 0],
     "shapes": [{"type": "sphere", "radius": 0.25}]}],
  "simulation": {"scheme": {"type": "euler"}, "step": 0.01, "duration": 0.2}
})";

Scene scene_with(const std::vector<std::string>& changes) {
  const Result<Scene> scene = parse_scene(scene_text, "impacts.json", changes);
  EXPECT_TRUE(scene) << (scene ? "" : scene.error().front().text());
  return *scene;
}

// Records 20 steps; `lie` changes the first one with an impact. False: there is none.
bool record(const std::string& file, const Scene& scene, const Lie& lie) {
  Simulator simulator(scene.model, *scene.initial, scene.simulation.scheme, scene.simulation.solver,
                      scene.simulation.verdict);
  Result<TraceWriter> writer = TraceWriter::create(file, scene.resolved);
  EXPECT_TRUE(writer);
  EXPECT_TRUE(writer->append_initial(*scene.initial));
  bool changed = false;
  for (int i = 0; i < 20; ++i) {
    StepReport report = simulator.step(scene.simulation.step);
    EXPECT_FALSE(report.failed());
    if (lie && !changed && !report.impacts.empty()) {
      lie(report);
      changed = true;
    }
    EXPECT_TRUE(writer->append(report, simulator.state()));
  }
  EXPECT_TRUE(writer->finish());
  return changed;
}

struct Forgery {
  const char* what;
  const char* named;
  Lie lie;
};

// Figures are compared to 1e-9 of what they are sums of: velocities of a few m/s and energies of a
// few dozen J. A millionth of a figure is far beyond that.
const std::vector<Forgery>& forgeries() {
  static const std::vector<Forgery> all = {
      {"time", "no solve is of the impact", [](StepReport& r) { r.impacts[0].t -= 1e-6; }},
      {"approach", "approach of", [](StepReport& r) { r.impacts[0].approach *= 1 + 1e-6; }},
      {"rebound", "rebound of", [](StepReport& r) { r.impacts[0].rebound += 1e-6; }},
      {"kinetic before", "kinetic energy before",
       [](StepReport& r) {
         ImpactReport& i = r.impacts[0];
         i.other -= 1e-6 * i.kinetic_before;
         i.kinetic_before *= 1 + 1e-6;
       }},
      {"kinetic after", "kinetic energy after", [](StepReport& r) {
         ImpactReport& i = r.impacts[0];
         i.other += 1e-6 * i.kinetic_after;
         i.kinetic_after *= 1 + 1e-6;
       }}};
  return all;
}

std::string findings_of(const CheckReport& report) {
  std::string all;
  for (const CheckFinding& f : report.findings) all += f.what + "\n";
  return all;
}

void expect_named(const Folder& folder, const Scene& scene, const Forgery& forgery) {
  const std::string file = folder.file("forged.cairn");
  ASSERT_TRUE(record(file, scene, forgery.lie)) << forgery.what;
  const Result<CheckReport> report = check_trace(file);
  ASSERT_TRUE(report);
  EXPECT_FALSE(report->ok) << forgery.what;
  EXPECT_NE(findings_of(*report).find(forgery.named), std::string::npos)
      << forgery.what << ": " << findings_of(*report);
}

class Schemes : public testing::TestWithParam<std::vector<std::string>> {};

TEST_P(Schemes, FiguresOfImpactsAreRecomputed) {
  const Folder folder;
  const Scene scene = scene_with(GetParam());
  const std::string file = folder.file("honest.cairn");
  record(file, scene, nullptr);
  const Result<CheckReport> honest = check_trace(file);
  ASSERT_TRUE(honest);
  EXPECT_TRUE(honest->ok) << findings_of(*honest);
  for (const Forgery& forgery : forgeries()) expect_named(folder, scene, forgery);
}

INSTANTIATE_TEST_SUITE_P(
    ImpactForgeries, Schemes,
    testing::Values(std::vector<std::string>{},
                    std::vector<std::string>{"simulation.scheme.propagation=sequential"},
                    std::vector<std::string>{"simulation.scheme.type=relaxed"},
                    std::vector<std::string>{"simulation.scheme.type=trapezoidal"},
                    std::vector<std::string>{"simulation.scheme.type=hybrid"}));

// Schemes with events name the speed of each collision.
TEST(ImpactForgeries, SpeedsOfCollisionsAreRecomputed) {
  const Folder folder;
  const Forgery forgery{"speed", "speed of the collision",
                        [](StepReport& r) { r.events[0].speed *= 1 + 1e-6; }};
  for (const char* scheme : {"trapezoidal", "hybrid"})
    expect_named(folder, scene_with({std::string("simulation.scheme.type=") + scheme}), forgery);
}

}  // namespace
}  // namespace cairn::test_impact_forgeries
