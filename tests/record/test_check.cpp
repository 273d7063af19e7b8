// check_trace() on runs of the engine: a true trace passes, every kind of lie is found.
#include <functional>

#include "record/check.hpp"
#include "sample.hpp"

namespace cairn {
namespace {

using sample::Folder;

constexpr const char* scene_text = R"({
  "cairn": 1, "name": "check", "gravity": [0, -9.81, 0],
  "materials": {"default": {"friction": 0.3, "restitution": 0.4}},
  "bodies": [
    {"name": "floor", "fixed": true, "shapes": [{"type": "halfspace", "normal": [0, 1, 0]}]},
    {"name": "disc", "dof": "x y rz", "mass": 1, "position": [0, 0.52, 0], "velocity": [1, 0, 0],
     "angular_velocity": [0, 0, 3], "shapes": [{"type": "disc", "radius": 0.5}]},
    {"name": "bob", "dof": "x y rz", "mass": 2, "position": [3, 2, 0], "shapes": [{"type": "disc", "radius": 0.25}]}],
  "joints": [{"type": "distance", "bodies": ["world", "bob"], "anchors": [[2, 2, 0], [0, 0, 0]]}],
  "forces": [{"type": "spring", "bodies": ["world", "bob"], "anchors": [[2, 4, 0], [0, 0, 0]],
              "stiffness": 10, "rest_length": 1, "damping": 0.5}],
  "simulation": {"step": 0.01, "duration": 0.3}
})";

using Lie = std::function<void(StepReport&, State&)>;

// Runs the scene and records it; `lie` changes what is recorded of step 12, which is in the air and
// in contact by turns.
CheckReport checked(const Folder& folder, const Lie& lie = nullptr) {
  const Result<Scene> scene = parse_scene(scene_text, "check.json");
  EXPECT_TRUE(scene) << (scene ? "" : scene.error().front().text());
  Simulator simulator(scene->model, *scene->initial, scene->simulation.scheme,
                      scene->simulation.solver);
  Result<TraceWriter> writer = TraceWriter::create(folder.file("trace"), scene->resolved);
  EXPECT_TRUE(writer);
  EXPECT_TRUE(writer->append_initial(*scene->initial));
  for (int i = 1; i <= 30; ++i) {
    StepReport report = simulator.step(0.01);
    State state = simulator.state();
    if (lie && i == 12) lie(report, state);
    EXPECT_TRUE(writer->append(report, state));
  }
  EXPECT_TRUE(writer->finish());
  const Result<CheckReport> report = check_trace(folder.file("trace"));
  EXPECT_TRUE(report);
  return report.value_or(CheckReport{});
}

TEST(Check, TrueTracePasses) {
  const Folder folder;
  const CheckReport report = checked(folder);
  for (const CheckFinding& finding : report.findings)
    ADD_FAILURE() << finding.step << ": " << finding.what;
  EXPECT_TRUE(report.ok);
  EXPECT_TRUE(report.complete);
  EXPECT_EQ(report.frames, 31);
  EXPECT_GE(report.solves, 30);
  EXPECT_LE(report.worst, 1e-8);
}

void expect_finding(const char* words, const Lie& lie) {
  const Folder folder;
  const CheckReport report = checked(folder, lie);
  EXPECT_FALSE(report.ok) << words;
  const bool found =
      std::any_of(report.findings.begin(), report.findings.end(), [&](const CheckFinding& f) {
        return f.step == 12 && f.what.find(words) != std::string::npos;
      });
  EXPECT_TRUE(found) << words;
}

TEST(Check, LiesAboutTheStateAreFound) {
  expect_finding("velocity", [](StepReport&, State& s) { s.v[0] += 1e-9; });
  expect_finding("m away", [](StepReport&, State& s) { s.poses[1].p.x() += 1e-9; });
  expect_finding("turned", [](StepReport&, State& s) {
    s.poses[1].R = s.poses[1].R * exp_rotation(Vec3(0, 0, 1e-9));
  });
  expect_finding("time", [](StepReport&, State& s) { s.t += 1e-9; });
}

TEST(Check, LiesAboutTheSolutionAreFound) {
  // An impulse that the momentum balance does not know of.
  expect_finding("momentum residual", [](StepReport& r, State&) {
    r.solves[0].solution.lambda[0] += 1e-3 * (1 + std::abs(r.solves[0].solution.lambda[0]));
  });
  expect_finding("natural map residual", [](StepReport& r, State&) {
    r.solves[0].solution.certificate.natural_map = 1e-9;
  });
  expect_finding("certificate of the step", [](StepReport& r, State&) { r.certificate = 0.5; });
  expect_finding("reported as uncertified",
                 [](StepReport& r, State&) { r.status = StepStatus::uncertified; });
}

TEST(Check, LiesAboutEnergyAndGeometryAreFound) {
  expect_finding("kinetic end", [](StepReport& r, State&) { r.ledger.kinetic_end *= 1 + 1e-6; });
  expect_finding("does not add up", [](StepReport& r, State&) { r.ledger.friction += 1e-3; });
  expect_finding("penetration", [](StepReport& r, State&) { r.penetration += 1e-9; });
  expect_finding("joint error", [](StepReport& r, State&) { r.joint_error += 1e-9; });
}

// A run that was killed: all complete frames are judged, and the report says that the rest is
// missing.
TEST(Check, TruncatedTraceIsJudgedAsFarAsItGoes) {
  const Folder folder;
  checked(folder);
  const std::string bytes = sample::read(folder.file("trace"));
  sample::write(folder.file("trace"), bytes.substr(0, bytes.size() - 100));
  const Result<CheckReport> report = check_trace(folder.file("trace"));
  ASSERT_TRUE(report);
  EXPECT_EQ(report->frames, 30);
  EXPECT_GT(report->dropped_bytes, 0u);
  EXPECT_EQ(report->finding_count, 0);
  EXPECT_FALSE(report->complete);
  EXPECT_FALSE(report->ok);
}

TEST(Check, DamageIsAFinding) {
  const Folder folder;
  checked(folder);
  std::string bytes = sample::read(folder.file("trace"));
  bytes[bytes.size() / 2] = static_cast<char>(bytes[bytes.size() / 2] ^ 4);
  sample::write(folder.file("trace"), bytes);
  const Result<CheckReport> report = check_trace(folder.file("trace"));
  ASSERT_TRUE(report);
  EXPECT_FALSE(report->ok);
  ASSERT_EQ(report->finding_count, 1);
  EXPECT_NE(report->findings[0].what.find("checksum"), std::string::npos);
}

}  // namespace
}  // namespace cairn
