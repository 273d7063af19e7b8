// Packed recordings: nothing is lost, damage is found, less is written. Recordings of level
// `states`: poses to their grid, figures whole, and `check` says what it cannot judge.
#include <cmath>
#include <filesystem>
#include <limits>
#include <random>
#include <sstream>

#include "bytes/bytes.hpp"
#include "record/plain_frame.hpp"
#include "record/run/run.hpp"
#include "record/sample.hpp"
#include "record/trace/checkpoint.hpp"
#include "record/trace/trace_walk.hpp"

namespace cairn::test_packed_frames {
namespace {

using sample::Folder;

Scene load(const std::string& name, std::vector<std::string> changes = {}) {
  Result<Scene> scene =
      load_scene(std::string(CAIRN_SOURCE_DIR) + "/scenes/" + name + ".json", changes);
  EXPECT_TRUE(scene) << (scene ? "" : scene.error().front().text());
  return *scene;
}

// Runs a scene and records it at several levels at once.
void record_run(const Scene& scene, int steps, const Folder& folder,
                const std::vector<std::pair<const char*, RecordOptions>>& files) {
  const SimulationSettings& s = scene.simulation;
  Simulator simulator(scene.model, *scene.initial, s.scheme, s.solver, s.verdict);
  ForceDisplay display(s.forces);
  std::vector<TraceWriter> writers;
  for (const auto& [name, options] : files) {
    writers.push_back(TraceWriter::create(folder.file(name), scene.resolved, options).value());
    ASSERT_TRUE(writers.back().append_initial(*scene.initial));
  }
  for (int i = 0; i < steps; ++i) {
    const StepReport& report = simulator.step(s.step);
    const ShownForces& forces = display.of(report);
    for (TraceWriter& writer : writers)
      ASSERT_TRUE(writer.append(report, simulator.state(), forces));
  }
  for (TraceWriter& writer : writers) ASSERT_TRUE(writer.finish());
}

std::string plain(TraceFrame& frame) {
  for (std::size_t i = 0; i < frame.methods.size(); ++i)
    frame.report.solves[i].solution.method = frame.methods[i].c_str();
  bytes::ByteWriter out;
  record::encode_frame(frame.report, frame.state, frame.state_hash, out, frame.forces);
  return {reinterpret_cast<const char*>(out.bytes().data()), out.size()};
}

// Doubles of all kinds, guesses near and far.
TEST(PackedNumbers, EveryBitComesBack) {
  std::mt19937_64 random(1);
  record::PackWriter writer;
  std::vector<std::pair<double, double>> numbers;
  for (const double x :
       {0.0, -0.0, 1.0, -1.0, std::numeric_limits<double>::infinity(),
        -std::numeric_limits<double>::infinity(), std::numeric_limits<double>::quiet_NaN(),
        std::numeric_limits<double>::denorm_min(), std::numeric_limits<double>::max()})
    for (const double guess : {0.0, 1.0, -3e300, x}) numbers.emplace_back(x, guess);
  for (int i = 0; i < 20000; ++i) {
    const auto x = std::bit_cast<double>(random());
    const double near = std::bit_cast<double>(std::bit_cast<std::uint64_t>(x) + random() % 5);
    numbers.emplace_back(x, i % 2 == 0 ? near : std::bit_cast<double>(random()));
  }
  for (const auto& [x, guess] : numbers) writer.number(x, guess);
  writer.text("method");
  writer.integer(std::numeric_limits<std::int64_t>::min(),
                 std::numeric_limits<std::int64_t>::max());
  bytes::ByteWriter out;
  writer.finish(out);
  bytes::ByteReader in(out.bytes());
  record::PackReader reader;
  reader.begin(in);
  for (const auto& [x, guess] : numbers) {
    double y = 0;
    reader.number(y, guess);
    ASSERT_EQ(std::bit_cast<std::uint64_t>(x), std::bit_cast<std::uint64_t>(y));
  }
  std::string text;
  reader.text(text);
  EXPECT_EQ(text, "method");
  std::int64_t n = 0;
  reader.integer(n, std::numeric_limits<std::int64_t>::max());
  EXPECT_EQ(n, std::numeric_limits<std::int64_t>::min());
  EXPECT_TRUE(reader.at_end());
  double y = 0;
  reader.number(y, 0);  // past the end
  EXPECT_FALSE(reader.ok());
}

// All schemes; planar and spatial bodies, joints, divided steps, impacts, rolling friction.
TEST(PackedFrames, HoldTheBitsOfPlainOnes) {
  for (const auto& [name, scheme] :
       {std::pair{"rocks", "euler"}, std::pair{"rocks", "hybrid"},
        std::pair{"cannonball21", "relaxed"}, std::pair{"carts", "trapezoidal"},
        std::pair{"chain50", "euler"}, std::pair{"penalty_discs", "penalty"},
        std::pair{"card_house", "trapezoidal"}, std::pair{"dominoes", "hybrid"},
        std::pair{"rolling_pile", "euler"}, std::pair{"four_bar", "euler"},
        std::pair{"heavy_top", "trapezoidal"}}) {
    SCOPED_TRACE(std::string(name) + " " + scheme);
    const Scene scene =
        load(name, {"simulation.scheme={\"type\": \"" + std::string(scheme) + "\"}"});
    const Folder folder;
    record_run(scene, 25, folder, {{"packed", {}}, {"plain", {.level = RecordLevel::full}}});
    Result<TraceReader> packed = TraceReader::open(folder.file("packed")),
                        whole = TraceReader::open(folder.file("plain"));
    ASSERT_TRUE(packed && whole);
    TraceFrame a, b;
    int frames = 0;
    for (;; ++frames) {
      const TraceEvent event = packed->next(a);
      ASSERT_EQ(event, whole->next(b)) << packed->reason();
      if (event != TraceEvent::frame) {
        EXPECT_EQ(event, TraceEvent::end);
        break;
      }
      ASSERT_EQ(a.state_hash, b.state_hash);
      ASSERT_EQ(plain(a), plain(b)) << "frame " << frames;
    }
    EXPECT_EQ(frames, 26);
    // The scene's text is the same in both; most of four_bar are figures.
    EXPECT_LT(std::filesystem::file_size(folder.file("packed")),
              std::filesystem::file_size(folder.file("plain")));
    if (scene.model->bodies.size() > 20) {
      EXPECT_LT(3 * std::filesystem::file_size(folder.file("packed")),
                std::filesystem::file_size(folder.file("plain")));
    }
  }
}

// Whatever byte is changed, the frame is refused or read, never a crash; most changes are refused
// or give another frame.
TEST(PackedFrames, DamageIsHarmless) {
  const Scene scene = load("rocks");
  const SimulationSettings& s = scene.simulation;
  Simulator simulator(scene.model, *scene.initial, s.scheme, s.solver, s.verdict);
  record::FrameWriter writer({});
  record::FrameReader before, reader;
  TraceFrame frame;
  bytes::ByteWriter out;
  for (int i = 0; i < 60; ++i) {
    out.clear();
    const StepReport& report = simulator.step(s.step);
    writer.encode(report, simulator.state(), hash(simulator.state()), {}, out);
    before = reader;
    ASSERT_FALSE(reader.decode(out.bytes(), frame));
  }
  std::mt19937_64 random(7);
  for (int i = 0; i < 3000; ++i) {
    std::vector<std::uint8_t> bytes(out.bytes().begin(), out.bytes().end());
    bytes[random() % bytes.size()] ^= static_cast<std::uint8_t>(1 + random() % 255);
    if (i % 3 == 0) bytes.resize(random() % bytes.size());
    record::FrameReader damaged = before;
    (void)damaged.decode(bytes, frame);
  }
}

TEST(RecordedStates, PosesAreOnTheirGridAndExactStatesWhole) {
  const Scene scene = load("rocks");
  const Folder folder;
  constexpr double grid = 1e-5;
  record_run(scene, 50, folder,
             {{"whole", {}},
              {"states", {.level = RecordLevel::states, .exact_every = 20, .resolution = grid}}});
  Result<TraceReader> whole = TraceReader::open(folder.file("whole")),
                      states = TraceReader::open(folder.file("states"));
  TraceFrame a, b;
  for (int i = 0; i <= 50; ++i) {
    ASSERT_EQ(whole->next(a), TraceEvent::frame);
    ASSERT_EQ(states->next(b), TraceEvent::frame);
    EXPECT_FALSE(b.whole);
    EXPECT_EQ(b.exact, i % 20 == 0);
    EXPECT_EQ(a.state_hash, b.state_hash);
    EXPECT_EQ(b.report.candidate_count(), a.report.contacts.size());
    EXPECT_EQ(b.report.impacts.size(), a.report.impacts.size());
    for (const ForceKind kind : {ForceKind::least_norm, ForceKind::not_minimised})
      EXPECT_EQ(b.forces.count(kind), a.forces.count(kind));
    EXPECT_EQ(b.report.ledger.kinetic_end, a.report.ledger.kinetic_end);
    if (b.exact) {
      EXPECT_EQ(hash(b.state), a.state_hash);
      continue;
    }
    for (std::size_t k = 0; k < a.state.poses.size(); ++k) {
      // Half a cell, and the rounding of the products with it.
      EXPECT_LE((a.state.poses[k].p - b.state.poses[k].p).cwiseAbs().maxCoeff(),
                grid / 2 * (1 + 1e-9));
      // Half a cell in each of four components.
      EXPECT_LE(a.state.poses[k].R.angularDistance(b.state.poses[k].R),
                2 * record::orientation_grid);
    }
  }
}

TEST(RecordedStates, CheckSaysWhatItCannotJudgeAndReplayJudgesIt) {
  const Scene scene = load("rocks");
  const Folder folder;
  record_run(scene, 40, folder, {{"states", {.level = RecordLevel::states}}});
  const CheckReport seen = check_trace(folder.file("states")).value();
  EXPECT_TRUE(seen.ok);
  EXPECT_EQ(seen.solves, 0);
  ASSERT_EQ(seen.unverified.size(), 1u);
  const CheckReport again = check_trace(folder.file("states"), {.replay = true}).value();
  for (const CheckFinding& f : again.findings) ADD_FAILURE() << f.step << ": " << f.what;
  EXPECT_TRUE(again.ok);
  EXPECT_GE(again.solves, 40);
}

// A run of another scene under this scene's text.
TEST(RecordedStates, ReplayFindsARunOfAnotherScene) {
  const Scene scene = load("rocks"), claimed = load("rocks", {"gravity=[0, 0, -9.8100001]"});
  const Folder folder;
  const SimulationSettings& s = scene.simulation;
  Simulator simulator(scene.model, *scene.initial, s.scheme, s.solver, s.verdict);
  TraceWriter writer =
      TraceWriter::create(folder.file("states"), claimed.resolved, {.level = RecordLevel::states})
          .value();
  ASSERT_TRUE(writer.append_initial(*scene.initial));
  for (int i = 0; i < 5; ++i) {
    const StepReport& report = simulator.step(s.step);
    ASSERT_TRUE(writer.append(report, simulator.state()));
  }
  ASSERT_TRUE(writer.finish());
  EXPECT_TRUE(check_trace(folder.file("states"))->ok);
  EXPECT_FALSE(check_trace(folder.file("states"), {.replay = true})->ok);
}

// The summary without CPU times.
std::string figures(const std::string& summary) {
  std::istringstream in(summary);
  std::string line, kept;
  while (std::getline(in, line))
    if (line.find("cpu") == std::string::npos && line.find("seconds") == std::string::npos)
      kept += line + "\n";
  return kept;
}

// Totals are added up again from the frames before the checkpoint, which have figures alone.
class ResumedRun : public ::testing::TestWithParam<const char*> {};
INSTANTIATE_TEST_SUITE_P(Recordings, ResumedRun,
                         ::testing::Values("level=states", "every=7", "interval=0.03"));

TEST_P(ResumedRun, HasTheSummaryOfAWholeOne) {
  const Scene scene =
      load("rocks", {"simulation.record." + std::string(GetParam()), "simulation.duration=0.5"});
  const SimulationSettings& s = scene.simulation;
  const Folder folder;
  constexpr int steps = 100, half = 60;
  const auto run = [&](record::RunRecorder& recorder, Simulator& simulator, int count) {
    for (int i = 0; i < count; ++i) {
      const StepReport& report = simulator.step(s.step);
      ASSERT_TRUE(recorder.record(report, simulator.state()));
    }
  };
  const auto simulator_at = [&](const State& state) {
    return Simulator(scene.model, state, s.scheme, s.solver, s.verdict);
  };
  Simulator one = simulator_at(*scene.initial);
  auto recorder = record::RunRecorder::create(
      scene, {.folder = folder.file("whole"), .command = "", .page = nullptr});
  ASSERT_TRUE(recorder);
  run(*recorder, one, steps);
  const std::string expected = recorder->finish()->summary;
  {
    Simulator first = simulator_at(*scene.initial);
    auto begun = record::RunRecorder::create(
        scene, {.folder = folder.file("parts"), .command = "", .page = nullptr});
    ASSERT_TRUE(begun);
    run(*begun, first, half);
    ASSERT_TRUE(begun->save_checkpoint(half));
  }
  const Result<Checkpoint> checkpoint =
      load_checkpoint(folder.file("parts") + "/" + record::checkpoint_file);
  ASSERT_TRUE(checkpoint);
  auto resumed = record::RunRecorder::resume(
      scene, {.folder = folder.file("parts"), .command = "", .page = nullptr}, *checkpoint,
      [](const StepReport&) { return Result<void>(); });
  ASSERT_TRUE(resumed);
  Simulator second = simulator_at(checkpoint->state);
  run(*resumed, second, steps - half);
  EXPECT_EQ(figures(resumed->finish()->summary), figures(expected));
  for (const char* name : {"whole", "parts"})
    EXPECT_TRUE(check_trace(folder.file(name) + "/trace.cairn")->ok) << name;
}

TEST(SparseRecording, HasWholeFramesOfEveryNthStepBitForBit) {
  const Scene scene = load("rocks", {"simulation.record.every=7"});
  const Folder folder;
  for (const RecordLevel level : {RecordLevel::contacts, RecordLevel::full}) {
    RecordOptions sparse = scene.simulation.record;
    sparse.level = level;
    record_run(scene, 50, folder, {{"whole", {}}, {"sparse", sparse}});
    Result<TraceReader> whole = TraceReader::open(folder.file("whole")),
                        some = TraceReader::open(folder.file("sparse"));
    TraceFrame a, b;
    State before;
    for (int i = 0; i <= 50; ++i) {
      ASSERT_EQ(whole->next(a), TraceEvent::frame);
      ASSERT_EQ(some->next(b), TraceEvent::frame);
      const bool is_whole = i % 7 == 0 || !a.report.accepted();
      EXPECT_EQ(b.whole, is_whole) << i;
      EXPECT_EQ(b.has_before, is_whole && i > 0) << i;
      if (b.has_before) {
        EXPECT_EQ(b.before, before) << i;
      }
      if (is_whole) {
        EXPECT_EQ(plain(b), plain(a)) << i;
      }
      before = a.state;
    }
    EXPECT_TRUE(check_trace(folder.file("sparse"))->ok);
    EXPECT_EQ(check_trace(folder.file("sparse"))->left_out, 43);
    EXPECT_TRUE(check_trace(folder.file("sparse"), {.replay = true})->ok);
  }
}

TEST(SparseRecording, IntervalsAreTimes) {
  const Scene scene = load("rocks", {"simulation.record.interval=0.035"});  // steps of 0.005 s
  const Folder folder;
  record_run(scene, 40, folder, {{"sparse", scene.simulation.record}});
  Result<TraceReader> reader = TraceReader::open(folder.file("sparse"));
  TraceFrame frame;
  for (int i = 0; i <= 40; ++i) {
    ASSERT_EQ(reader->next(frame), TraceEvent::frame);
    EXPECT_EQ(frame.whole, i % 7 == 0) << i;
  }
}

// Curves and exports see frames with contacts; what was lost and counted between them is there.
TEST(SparseRecording, NothingIsLostFromSumsAndExtremes) {
  const Scene scene = load("rocks"), some = load("rocks", {"simulation.record.every=10"});
  const Folder folder;
  record_run(scene, 60, folder, {{"whole", {}}});
  record_run(some, 60, folder, {{"sparse", some.simulation.record}});
  struct Sums {
    double friction = 0, impact = 0, deepest = 0;
    int collisions = 0, frames = 0;
  };
  const auto sums_of = [&](const char* name) {
    Sums sums;
    Result<record::TraceWalk> walk = record::TraceWalk::open(folder.file(name));
    while (walk->next()) {
      const StepReport& r = walk->frame().report;
      sums.friction += r.ledger.friction;
      sums.impact += r.ledger.impact;
      sums.deepest = std::max(sums.deepest, r.penetration);
      sums.collisions += r.collisions;
      ++sums.frames;
    }
    return sums;
  };
  const Sums all = sums_of("whole"), joined = sums_of("sparse");
  EXPECT_EQ(all.frames, 61);
  EXPECT_EQ(joined.frames, 7);
  EXPECT_GT(all.friction + all.impact, 0);
  EXPECT_NEAR(joined.friction, all.friction, 1e-12 * (1 + all.friction));
  EXPECT_NEAR(joined.impact, all.impact, 1e-12 * (1 + all.impact));
  EXPECT_EQ(joined.deepest, all.deepest);
  EXPECT_EQ(joined.collisions, all.collisions);
}

// An impulse of a recorded step, and the state that it begins with.
TEST(SparseRecording, CheckFindsForgeries) {
  const Scene scene = load("rocks", {"simulation.record.every=7"});
  const SimulationSettings& s = scene.simulation;
  for (const int forged : {-1, 76, 77}) {  // the rocks touch each other by then
    const Folder folder;
    Simulator simulator(scene.model, *scene.initial, s.scheme, s.solver, s.verdict);
    TraceWriter writer = TraceWriter::create(folder.file("t"), scene.resolved, s.record).value();
    ASSERT_TRUE(writer.append_initial(*scene.initial));
    for (int i = 1; i <= 80; ++i) {
      StepReport report = simulator.step(s.step);
      State state = simulator.state();
      if (i == forged && i % 7 == 0)
        report.solves[0].solution.lambda *= 1 + 1e-4;
      else if (i == forged)
        state.v *= 1 + 1e-4;
      ASSERT_TRUE(writer.append(report, state));
    }
    ASSERT_TRUE(writer.finish());
    EXPECT_EQ(check_trace(folder.file("t"))->ok, forged < 0) << forged;
  }
}

// Steps with forces and targets from outside are rebuilt from the recording as any others.
TEST(RecordedControls, AreReadBackCheckedAndReplayed) {
  const Scene scene = load("gripper", {"simulation.record.every=2"});
  const SimulationSettings& s = scene.simulation;
  const BodyId box = *scene.model->find_body("box");
  const JointId lift = *scene.model->find_joint("lift"), jaw = *scene.model->find_joint("jaw_left");
  for (const bool forged : {false, true}) {
    const Folder folder;
    Simulator simulator(scene.model, *scene.initial, s.scheme, s.solver, s.verdict);
    TraceWriter writer = TraceWriter::create(folder.file("t"), scene.resolved, s.record).value();
    ASSERT_TRUE(writer.append_initial(*scene.initial));
    std::vector<Controls> given;
    for (int i = 1; i <= 60; ++i) {
      Controls controls;
      if (i % 3 != 0)
        controls.forces = {{.body = box,
                            .force = Vec3(0, 3 * std::sin(i), 0),
                            .torque = Vec3(0, 0, 0.01 * i),
                            .point = Vec3(0.1, 0, 0)}};
      if (i > 20) controls.motors = {{lift, 0.01 * i}, {jaw, 30 - 0.1 * i}};
      given.push_back(controls);
      StepReport report = simulator.step(s.step, controls);
      ASSERT_FALSE(report.failed()) << report.message;
      if (forged && i == 40) report.controls.motors[1].value += 1e-3;
      ASSERT_TRUE(writer.append(report, simulator.state()));
    }
    ASSERT_TRUE(writer.finish());
    const CheckReport check = check_trace(folder.file("t")).value();
    EXPECT_EQ(check.ok, !forged);
    for (const CheckFinding& f : check.findings)
      if (!forged) ADD_FAILURE() << f.step << ": " << f.what;
    EXPECT_EQ(check_trace(folder.file("t"), {.replay = true})->ok, !forged);
    Result<TraceReader> reader = TraceReader::open(folder.file("t"));
    TraceFrame frame;
    ASSERT_EQ(reader->next(frame), TraceEvent::frame);
    for (std::size_t i = 0; i < given.size(); ++i) {
      ASSERT_EQ(reader->next(frame), TraceEvent::frame);
      ASSERT_EQ(frame.report.controls.forces.size(), given[i].forces.size());
      if (!given[i].forces.empty()) {
        EXPECT_EQ(frame.report.controls.forces[0].torque, given[i].forces[0].torque);
      }
      if (!forged) {
        EXPECT_EQ(frame.report.controls.motors, given[i].motors);
      }
    }
  }
}

}  // namespace
}  // namespace cairn::test_packed_frames
