// check_trace() on runs of the engine: a true trace passes, every kind of lie is found.
#include <cstring>
#include <functional>
#include <limits>

#include "record/check/check.hpp"
#include "record/sample.hpp"

namespace cairn::test_check {
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
CheckReport checked(const Folder& folder, const Lie& lie = nullptr, int steps = 30,
                    const std::vector<std::string>& changes = {}) {
  const Result<Scene> scene = parse_scene(scene_text, "check.json", changes);
  EXPECT_TRUE(scene) << (scene ? "" : scene.error().front().text());
  Simulator simulator(scene->model, *scene->initial, scene->simulation.scheme,
                      scene->simulation.solver);
  Result<TraceWriter> writer = TraceWriter::create(folder.file("trace"), scene->resolved);
  EXPECT_TRUE(writer);
  EXPECT_TRUE(writer->append_initial(*scene->initial));
  for (int i = 1; i <= steps; ++i) {
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

void expect_finding(FindingCode code, const Lie& lie) {
  const Folder folder;
  const CheckReport report = checked(folder, lie);
  EXPECT_FALSE(report.ok) << name(code);
  const bool found =
      std::any_of(report.findings.begin(), report.findings.end(),
                  [&](const CheckFinding& f) { return f.step == 12 && f.code == code; });
  EXPECT_TRUE(found) << name(code);
}

TEST(Check, LiesAboutTheStateAreFound) {
  expect_finding(FindingCode::velocity, [](StepReport&, State& s) { s.v[0] += 1e-9; });
  expect_finding(FindingCode::position, [](StepReport&, State& s) { s.poses[1].p.x() += 1e-9; });
  expect_finding(FindingCode::orientation, [](StepReport&, State& s) {
    s.poses[1].R = s.poses[1].R * exp_rotation(Vec3(0, 0, 1e-9));
  });
  expect_finding(FindingCode::time, [](StepReport&, State& s) { s.t += 1e-9; });
}

TEST(Check, LiesAboutTheSolutionAreFound) {
  // An impulse that the momentum balance does not know of.
  expect_finding(FindingCode::residual, [](StepReport& r, State&) {
    r.solves[0].solution.lambda[0] += 1e-3 * (1 + std::abs(r.solves[0].solution.lambda[0]));
  });
  expect_finding(FindingCode::residual, [](StepReport& r, State&) {
    r.solves[0].solution.certificate.natural_map = 1e-9;
  });
  expect_finding(FindingCode::certificate, [](StepReport& r, State&) { r.certificate = 0.5; });
  expect_finding(FindingCode::verdict,
                 [](StepReport& r, State&) { r.status = StepStatus::uncertified; });
}

TEST(Check, LiesAboutEnergyAndGeometryAreFound) {
  expect_finding(FindingCode::energy,
                 [](StepReport& r, State&) { r.ledger.kinetic_end *= 1 + 1e-6; });
  expect_finding(FindingCode::ledger, [](StepReport& r, State&) { r.ledger.friction += 1e-3; });
  expect_finding(FindingCode::penetration, [](StepReport& r, State&) { r.penetration += 1e-9; });
  expect_finding(FindingCode::joint_error, [](StepReport& r, State&) { r.joint_error += 1e-9; });
  expect_finding(FindingCode::impact, [](StepReport& r, State&) {
    r.impacts = {{.contact = {BodyId{0}, BodyId{1}, ShapeId{0}, ShapeId{1}, 0},
                  .lost_restitution = 0.25,
                  .kinetic_before = 1,
                  .kinetic_after = 0.5}};
  });
}

// Infinity on both sides of a comparison must not hide the lie, nor may a figure that is no number.
TEST(Check, FiguresThatAreNotFiniteAreFound) {
  for (const double x :
       {std::numeric_limits<double>::infinity(), -std::numeric_limits<double>::infinity(),
        std::numeric_limits<double>::quiet_NaN()}) {
    const FindingCode code = FindingCode::not_finite;
    expect_finding(code, [&](StepReport& r, State&) { r.ledger.friction = x; });
    expect_finding(code, [&](StepReport& r, State&) { r.ledger.kinetic_end = x; });
    expect_finding(code, [&](StepReport& r, State&) { r.penetration = x; });
    expect_finding(code, [&](StepReport& r, State&) { r.joint_error_angle = x; });
    expect_finding(code, [&](StepReport& r, State&) { r.guard_factor = x; });
    expect_finding(code, [&](StepReport& r, State&) { r.h = x; });
    expect_finding(code, [&](StepReport& r, State&) { r.contacts[0].impulse[0] = x; });
    expect_finding(code, [&](StepReport& r, State&) { r.contacts[0].contact.gap = x; });
    expect_finding(code, [&](StepReport&, State& s) { s.v[0] = x; });
    expect_finding(code, [&](StepReport&, State& s) { s.poses[0].p.x() = x; });
    expect_finding(code, [&](StepReport&, State& s) { s.impulses[0].impulse[0] = x; });
    expect_finding(code, [&](StepReport& r, State&) { r.solves[0].problem.k[0] = x; });
    expect_finding(code, [&](StepReport& r, State&) { r.solves[0].problem.bodies[0].A[0][0] = x; });
    expect_finding(code,
                   [&](StepReport& r, State&) { r.solves[0].problem.constraints[0].b[0] = x; });
    expect_finding(code, [&](StepReport& r, State&) { r.solves[0].solution.certificate.cone = x; });
    expect_finding(FindingCode::certificate, [&](StepReport& r, State&) { r.certificate = x; });
    // An answer that is no number cannot be called finite.
    expect_finding(FindingCode::not_finite,
                   [&](StepReport& r, State&) { r.solves[0].solution.lambda[0] = x; });
  }
}

// The problems of a projection are not in the trace; what is said about them must agree.
TEST(Check, LiesAboutProjectionsAreFound) {
  expect_finding(FindingCode::projection, [](StepReport& r, State&) {
    r.contact_projections = 3;
    r.contact_projection_certificate = 1e-3;
  });
  expect_finding(FindingCode::projection, [](StepReport& r, State&) {
    r.contact_projections = r.uncertified_projections = 3;
    r.contact_projection_certificate = 1e-3;
  });
  expect_finding(FindingCode::projection, [](StepReport& r, State&) {
    r.contact_projections = 1;
    r.uncertified_projections = 2;
    r.contact_projection_certificate = 1e-3;
    r.status = StepStatus::uncertified;
  });
  // A true one: uncertified because of a projection, and counted as not judged.
  const Folder folder;
  const CheckReport report =
      checked(folder,
              [](StepReport& r, State&) {
                r.contact_projections = 4;
                r.uncertified_projections = 1;
                r.contact_projection_certificate = 1e-3;
                r.status = StepStatus::uncertified;
                r.verdict.solve.ok = false;
                r.verdict.solve.sentence = "a projection missed the tolerance";
              },
              30, {R"(simulation.scheme={"type":"euler","project_contacts":true})"});
  EXPECT_TRUE(report.ok);
  EXPECT_EQ(report.projections, 4);
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

// Cut anywhere, `check` judges every complete frame, counts the bytes after the last one and calls
// the trace incomplete; with a byte flipped anywhere it never calls it good.
TEST(Check, EveryCutAndEveryFlippedByteIsTold) {
  const Folder folder;
  ASSERT_TRUE(checked(folder, nullptr, 1).ok);
  const std::string whole = sample::read(folder.file("trace"));
  std::vector<std::size_t> ends;  // of the chunks: scene, two frames, end
  for (std::size_t at = 12; at < whole.size();) {
    std::uint64_t length = 0;
    std::memcpy(&length, whole.data() + at + 4, 8);
    at += 16 + static_cast<std::size_t>(length);
    ends.push_back(at);
  }
  ASSERT_EQ(ends.size(), 4u);
  for (std::size_t i = 0; i < whole.size(); ++i) {
    sample::write(folder.file("cut"), whole.substr(0, i));
    const Result<CheckReport> cut = check_trace(folder.file("cut"));
    ASSERT_EQ(cut.has_value(), i >= ends[0]) << i;
    if (cut) {
      std::size_t complete = 0;
      while (ends[complete + 1] <= i) ++complete;
      ASSERT_EQ(cut->frames, static_cast<std::int64_t>(complete)) << i;
      ASSERT_EQ(cut->dropped_bytes, i - ends[complete]) << i;
      ASSERT_EQ(cut->finding_count, 0) << i;
      ASSERT_FALSE(cut->complete || cut->ok) << i;
    }
    std::string flipped = whole;
    flipped[i] = static_cast<char>(flipped[i] ^ (1 << (i % 8)));
    sample::write(folder.file("cut"), flipped);
    const Result<CheckReport> damaged = check_trace(folder.file("cut"));
    ASSERT_FALSE(damaged && damaged->ok) << i;
  }
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
  EXPECT_EQ(report->findings[0].code, FindingCode::corrupt);
}

}  // namespace
}  // namespace cairn::test_check
