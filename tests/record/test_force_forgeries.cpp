// check_trace() against forged contact forces (E626): one thing of the shown forces is changed, and
// check names it. Honest recordings of small scenes under all schemes pass.
#include <algorithm>
#include <functional>

#include "cairn/solution_set.hpp"
#include "record/sample.hpp"

namespace cairn::test_force_forgeries {
namespace {

using sample::Folder;
using Lie = std::function<void(const StepReport&, ShownForces&)>;

// A table on four round legs with a box and a ball on it; the ball's contact is unique.
constexpr const char* scene_text = R"({
  "cairn": 1, "name": "table", "gravity": [0, 0, -9.81],
  "materials": {"default": {"friction": 0.5}},
  "bodies": [
    {"name": "floor", "fixed": true, "shapes": [{"type": "halfspace", "normal": [0, 0, 1]}]},
    {"name": "table", "mass": 8, "position": [0, 0, 0.5], "shapes": [
      {"type": "box", "size": [1.2, 0.8, 0.1], "position": [0, 0, 0.45]},
      {"type": "sphere", "radius": 0.05, "position": [-0.5, -0.3, -0.45]},
      {"type": "sphere", "radius": 0.05, "position": [-0.5, 0.3, -0.45]},
      {"type": "sphere", "radius": 0.05, "position": [0.5, -0.3, -0.45]},
      {"type": "sphere", "radius": 0.05, "position": [0.5, 0.3, -0.45]}]},
    {"name": "ball", "mass": 3, "position": [0.2, 0.1, 1.1], "shapes": [{"type": "sphere", "radius": 0.1}]}],
  "simulation": {"scheme": "euler", "step": 0.01, "duration": 0.1}
})";

// Records `steps` steps; `lie` changes the forces of the third.
void record(const std::string& file, const Scene& scene, int steps, const Lie& lie = nullptr) {
  Simulator simulator(scene.model, *scene.initial, scene.simulation.scheme, scene.simulation.solver,
                      scene.simulation.verdict);
  ForceDisplay display(scene.simulation.forces);
  Result<TraceWriter> writer = TraceWriter::create(file, scene.resolved);
  ASSERT_TRUE(writer);
  ASSERT_TRUE(writer->append_initial(*scene.initial));
  for (int i = 1; i <= steps; ++i) {
    const StepReport& report = simulator.step(scene.simulation.step);
    if (report.failed()) break;
    ShownForces forces = display.of(report);
    if (i == 3 && lie) lie(report, forces);
    ASSERT_TRUE(writer->append(report, simulator.state(), forces));
  }
  ASSERT_TRUE(writer->finish());
}

Scene table() {
  const Result<Scene> scene = parse_scene(scene_text, "table.json");
  EXPECT_TRUE(scene) << (scene ? "" : scene.error().front().text());
  return *scene;
}

// Rows of the legs' normal impulses in the island, in the order of their places: (-,-), (-,+),
// (+,-), (+,+).
std::vector<Eigen::Index> legs(const StepReport& report, const ShortestIsland& island) {
  const Problem& problem = report.solves[static_cast<std::size_t>(island.solve)].problem;
  std::vector<std::pair<std::array<double, 2>, Eigen::Index>> found;
  Eigen::Index row = 0;
  for (const int i : island.constraints) {
    const Constraint& c = problem.constraints[static_cast<std::size_t>(i)];
    for (const ContactReport& r : report.contacts)
      if (r.contact.key == c.key.contact && r.contact.p_WC.z() < 0.5)
        found.push_back({{std::round(r.contact.p_WC.x()), r.contact.p_WC.y()}, row});
    row += c.rows;
  }
  std::sort(found.begin(), found.end());
  std::vector<Eigen::Index> rows;
  for (const auto& leg : found) rows.push_back(leg.second);
  return rows;
}

// Presses two legs on a diagonal more and the others less: the same motion.
void twist(const StepReport& report, ShownForces& forces, double share) {
  ASSERT_EQ(forces.islands.size(), 1u);
  ShortestIsland& island = forces.islands[0];
  const std::vector<Eigen::Index> rows = legs(report, island);
  ASSERT_EQ(rows.size(), 4u);
  const double push = share * island.lambda[rows[0]];
  for (const std::size_t k : {0u, 3u}) island.lambda[rows[k]] += push;
  for (const std::size_t k : {1u, 2u}) island.lambda[rows[k]] -= push;
}

struct Forgery {
  const char* what;
  const char* named;
  Lie lie;
};

const std::vector<Forgery>& forgeries() {
  static const std::vector<Forgery> all = {
      {"one leg pressed more", "change the motion",
       [](const StepReport& r, ShownForces& f) {
         f.islands[0].lambda[legs(r, f.islands[0])[0]] *= 1 + 1e-6;
       }},
      {"diagonals twisted", "is not the shortest",
       [](const StepReport& r, ShownForces& f) { twist(r, f, 1e-6); }},
      {"a leg that pulls", "violates the contact's law",
       [](const StepReport& r, ShownForces& f) { twist(r, f, 3); }},
      {"another proof", "is not the shortest",
       [](const StepReport&, ShownForces& f) { f.islands[0].y *= 1.001; }},
      {"no number", "is not finite",
       [](const StepReport&, ShownForces& f) { f.islands[0].lambda[0] = NAN; }},
      {"without a proof", "without a proof",
       [](const StepReport&, ShownForces& f) { f.islands.clear(); }},
      {"part of an island", "not of a whole island",
       [](const StepReport& r, ShownForces& f) {
         ShortestIsland& island = f.islands[0];
         const Problem& p = r.solves[static_cast<std::size_t>(island.solve)].problem;
         const int rows = p.constraints[static_cast<std::size_t>(island.constraints.back())].rows;
         island.lambda.conservativeResize(island.lambda.size() - rows);
         island.constraints.pop_back();
       }},
      {"called unique", "marked as unique",
       [](const StepReport&, ShownForces& f) {
         f.islands.clear();
         std::fill(f.kinds.begin(), f.kinds.end(), ForceKind::unique);
       }},
      {"a unique one called shortest", "marked as least norm",
       [](const StepReport&, ShownForces& f) {
         std::fill(f.kinds.begin(), f.kinds.end(), ForceKind::least_norm);
       }},
      {"left out", "no shown forces", [](const StepReport&, ShownForces& f) { f = {}; }},
  };
  return all;
}

TEST(ForceForgeries, AreNamed) {
  const Folder folder;
  const Scene scene = table();
  record(folder.file("honest"), scene, 4);
  const Result<CheckReport> honest = check_trace(folder.file("honest"));
  ASSERT_TRUE(honest);
  EXPECT_TRUE(honest->ok) << (honest->findings.empty() ? "" : honest->findings[0].what);
  for (const Forgery& forgery : forgeries()) {
    record(folder.file("forged"), scene, 4, forgery.lie);
    const Result<CheckReport> report = check_trace(folder.file("forged"));
    ASSERT_TRUE(report) << forgery.what;
    EXPECT_FALSE(report->ok) << forgery.what;
    const bool named =
        std::any_of(report->findings.begin(), report->findings.end(), [&](const CheckFinding& f) {
          return f.step == 3 && f.code == FindingCode::forces &&
                 f.what.find(forgery.named) != std::string::npos;
        });
    EXPECT_TRUE(named) << forgery.what << ": "
                       << (report->findings.empty() ? "nothing" : report->findings[0].what);
  }
}

// Reading gives back what was written, and impulses of contacts from their islands.
TEST(ForceForgeries, TraceKeepsShownForces) {
  const Folder folder;
  const Scene scene = table();
  record(folder.file("trace"), scene, 2);
  Simulator simulator(scene.model, *scene.initial, scene.simulation.scheme, scene.simulation.solver,
                      scene.simulation.verdict);
  ForceDisplay display;
  Result<TraceReader> reader = TraceReader::open(folder.file("trace"));
  ASSERT_TRUE(reader);
  TraceFrame frame;
  ASSERT_EQ(reader->next(frame), TraceEvent::frame);
  EXPECT_TRUE(frame.forces.empty());
  for (int i = 0; i < 2; ++i) {
    ASSERT_EQ(reader->next(frame), TraceEvent::frame);
    const ShownForces& forces = display.of(simulator.step(scene.simulation.step));
    EXPECT_EQ(frame.forces.kinds, forces.kinds);
    EXPECT_EQ(frame.forces.impulses, forces.impulses);
    EXPECT_EQ(frame.forces.count(ForceKind::least_norm), 4);
    EXPECT_EQ(frame.forces.count(ForceKind::unique), 1);
  }
}

TEST(ForceForgeries, HonestRecordingsOfSmallScenesPass) {
  const Folder folder;
  for (const char* name :
       {"tower10", "card_house", "box_on_box", "incline_hold", "incline_slide", "cannonball21",
        "fixed_tower", "polygons", "rolling_ball", "balance2", "chain50", "heavy_on_light"})
    for (const char* scheme : {"euler", "relaxed", "trapezoidal", "hybrid"}) {
      const Result<Scene> scene =
          load_scene(std::string(CAIRN_SOURCE_DIR) + "/scenes/" + name + ".json",
                     {std::string("simulation.scheme=") + scheme});
      if (!scene) continue;  // the scheme does not take it
      record(folder.file("trace"), *scene, 8);
      const Result<CheckReport> report = check_trace(folder.file("trace"));
      ASSERT_TRUE(report) << name << " " << scheme;
      for (const CheckFinding& f : report->findings)
        EXPECT_NE(f.code, FindingCode::forces) << name << " " << scheme << ": " << f.what;
    }
}

}  // namespace
}  // namespace cairn::test_force_forgeries
