// Random chains with limits, motors and dry friction that fall on a floor: `check` confirms what
// the run says of every step, contact forces that are shown included.
#include <cmath>
#include <fmt/format.h>
#include <random>

#include "cairn/scene.hpp"
#include "cairn/solution_set.hpp"
#include "cairn/trace.hpp"
#include "record/sample.hpp"

namespace cairn::test_check_drives {
namespace {

// The same numbers on every platform.
class Random {
 public:
  explicit Random(unsigned seed) : engine_(seed) {}
  double uniform(double lo, double hi) {
    return lo + (hi - lo) * static_cast<double>(engine_()) * 0x1p-32;
  }
  bool one_in(double n) { return uniform(0, n) < 1; }

 private:
  std::mt19937 engine_;
};

std::string motor(Random& random, bool slides, double size) {
  const double pace = (slides ? 0.1 : 1) * random.uniform(-1, 1);
  switch (static_cast<int>(random.uniform(0, 4))) {
    case 0:
      return fmt::format(R"x(, "motor": {{"velocity": "{}*cos(2*t)", "max_effort": {}}})x", pace,
                         size);
    case 1:
      return fmt::format(R"x(, "motor": {{"position": "{}*sin(2*t)", "max_effort": {}}})x", pace,
                         size);
    case 2:
      return fmt::format(R"x(, "motor": {{"effort": "{}*sin(5*t)"}})x", 0.2 * pace * size);
    default:
      return "";
  }
}

std::string chain(unsigned seed, const char* scheme) {
  Random random(seed);
  std::string bodies = R"({"name": "floor", "fixed": true, "shapes": [{"type": "halfspace"}]})",
              joints;
  double x = 0, last = 0;
  const int n = 1 + static_cast<int>(random.uniform(0, 5));
  for (int i = 0; i < n; ++i) {
    const double length = random.uniform(0.2, 0.5);
    bodies += fmt::format(
        R"(, {{"name": "b{}", "mass": {}, "position": [{}, 0, 0.5],
              "shapes": [{{"type": "box", "size": [{}, 0.06, 0.06]}}]}})",
        i, std::pow(10, random.uniform(-1, 1.5)), x + length / 2, 0.8 * length);
    const bool slides = random.one_in(3);
    const double size = std::pow(10, random.uniform(-1, 2));
    joints += fmt::format(
        R"({}{{"name": "j{}", "type": "{}", "bodies": ["{}", "b{}"], "axis": [{}, {}, {}],
              "anchors": [[{}, 0, {}], [{}, 0, 0]])",
        i > 0 ? ", " : "", i, slides ? "prismatic" : "revolute",
        i > 0 ? fmt::format("b{}", i - 1) : "world", i, random.uniform(-1, 1),
        random.uniform(-1, 1), random.uniform(0.1, 1), i > 0 ? last / 2 : 0, i > 0 ? 0 : 0.5,
        -length / 2);
    if (random.one_in(2)) joints += fmt::format(R"(, "friction": {})", 0.3 * size);
    joints += motor(random, slides, size);
    if (slides || random.one_in(2))
      joints += slides ? R"(, "lower": -0.15, "upper": 0.2, "restitution": 0.4)"
                       : R"(, "lower": -1, "upper": 1.2)";
    joints += "}";
    last = length;
    x += length;
  }
  if (random.one_in(2))
    bodies += fmt::format(R"(, {{"name": "ball", "mass": 2, "position": [{}, 0.05, 0.8],
                               "shapes": [{{"type": "sphere", "radius": 0.1}}]}})",
                          x / 2);
  return fmt::format(
      R"({{"cairn": 1, "name": "chain", "materials": {{"default": {{"friction": 0.5}}}},
           "bodies": [{}], "joints": [{}],
           "simulation": {{"step": 0.005, "scheme": {{"type": "{}", "restitution": "completed"}}}}}})",
      bodies, joints, scheme);
}

TEST(CheckDrives, RandomChainsAreConfirmed) {
  int contacts = 0, marked = 0;
  for (unsigned seed = 1; seed <= 16; ++seed)
    for (const char* scheme : {"euler", "relaxed"}) {
      const Result<Scene> scene = parse_scene(chain(seed, scheme), "chain.json");
      ASSERT_TRUE(scene) << seed << ": " << scene.error().front().text();
      const SimulationSettings& s = scene->simulation;
      Simulator simulator(scene->model, *scene->initial, s.scheme, s.solver, s.verdict);
      const sample::Folder folder;
      TraceWriter writer = TraceWriter::create(folder.file("t"), scene->resolved).value();
      ASSERT_TRUE(writer.append_initial(*scene->initial));
      ForceDisplay display;
      for (int i = 0; i < 250; ++i) {
        const StepReport& report = simulator.step(s.step);
        ASSERT_TRUE(report.accepted()) << seed << ' ' << scheme << " step " << i;
        const ShownForces& forces = display.of(report);
        contacts += report.active_contacts;
        marked += forces.count(ForceKind::least_norm);
        ASSERT_TRUE(writer.append(report, simulator.state(), forces));
      }
      ASSERT_TRUE(writer.finish());
      const CheckReport check = check_trace(folder.file("t")).value();
      for (const CheckFinding& f : check.findings)
        ADD_FAILURE() << seed << ' ' << scheme << " step " << f.step << ": " << f.what;
    }
  EXPECT_GT(contacts, 500);
  EXPECT_GT(marked, 0);
}

}  // namespace
}  // namespace cairn::test_check_drives
