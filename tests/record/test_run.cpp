// RunRecorder: the table, the summary, expectations, and files that appear only when complete.
#include <algorithm>
#include <nlohmann/json.hpp>

#include "page/report.hpp"
#include "record/run/run.hpp"
#include "record/run/table.hpp"
#include "record/sample.hpp"

namespace cairn::test_run {
namespace {

using sample::Folder;

std::vector<std::string> split(const std::string& text, char at) {
  std::vector<std::string> parts;
  std::istringstream in(text);
  for (std::string part; std::getline(in, part, at);) parts.push_back(part);
  return parts;
}

Expectation at_most(const std::string& quantity, double bound) {
  Expectation e;
  e.quantity = quantity;
  e.at_most = bound;
  return e;
}

TEST(StepTable, RowsHaveAllColumnsAndAllDigits) {
  const std::vector<std::string> header = split(record::step_table_header(), ',');
  StepReport step = sample::step(3);
  step.t = 0.1 + 0.2;  // 0.30000000000000004
  fmt::memory_buffer buffer;
  record::append_step_row(step, buffer);
  const std::vector<std::string> row = split(fmt::to_string(buffer), ',');
  ASSERT_EQ(row.size(), header.size());
  const auto column = [&](const std::string& name) {
    const auto at = std::find(header.begin(), header.end(), name);
    EXPECT_NE(at, header.end()) << name;
    return row[static_cast<std::size_t>(at - header.begin())];
  };
  EXPECT_EQ(column("step"), "3");
  EXPECT_EQ(std::stod(column("t [s]")), 0.1 + 0.2);
  EXPECT_EQ(column("status"), "certified");
  EXPECT_EQ(column("iterations"), "3");
  EXPECT_EQ(std::stod(column("total [J]")), step.ledger.kinetic_end + step.ledger.potential_end);
  EXPECT_EQ(std::stod(column("imbalance [J]")), step.ledger.imbalance());
  EXPECT_EQ(std::stod(column("penetration [m]")), step.penetration);
  EXPECT_EQ(column("cpu [ms]"), "7");
}

// Three steps, the second one not certified, with known maxima, means and sums.
TEST(RunRecorder, SummaryAddsUpTheSteps) {
  const Folder folder;
  const Scene scene = sample::scene();
  Result<record::RunRecorder> recorder = record::RunRecorder::create(
      scene, {.folder = folder.path() + "/out", .command = {}, .page = page::run_page});
  ASSERT_TRUE(recorder);
  for (int i = 1; i <= 3; ++i) {
    StepReport step = sample::step(i);
    if (i == 2) {
      step.status = StepStatus::uncertified;
      step.certificate = 0.5;
      step.solves[0].solution.certificate.worst_constraint = 0;
    }
    step.active_contacts = 4 - i;
    ASSERT_TRUE(recorder->record(step, sample::state(scene, i)));
  }
  EXPECT_FALSE(std::filesystem::exists(folder.file("out/trace.cairn")));
  EXPECT_TRUE(std::filesystem::exists(folder.file("out/trace.cairn.part")));
  const Result<record::RunOutcome> outcome = recorder->finish();
  ASSERT_TRUE(outcome);
  EXPECT_EQ(outcome->status, record::RunStatus::uncertified);

  // Exactly the four files, under their final names.
  std::vector<std::string> names;
  for (const auto& entry : std::filesystem::directory_iterator(folder.file("out")))
    names.push_back(entry.path().filename().string());
  std::sort(names.begin(), names.end());
  EXPECT_EQ(names,
            (std::vector<std::string>{"report.html", "steps.csv", "summary.json", "trace.cairn"}));
  EXPECT_EQ(split(sample::read(folder.file("out/steps.csv")), '\n').size(), 4u);

  const std::string text = sample::read(folder.file("out/summary.json"));
  EXPECT_EQ(text, outcome->summary);
  const auto json = nlohmann::json::parse(text);
  EXPECT_EQ(json["cairn"], CAIRN_VERSION);
  EXPECT_EQ(json["scene"], scene.name);
  EXPECT_EQ(json["steps"], 3);
  EXPECT_EQ(json["time"], 0.03);
  EXPECT_EQ(json["status"], "uncertified");
  EXPECT_EQ(json["certificate"]["worst"], 0.5);
  EXPECT_EQ(json["certificate"]["step"], 2);
  EXPECT_EQ(json["certificate"]["uncertified_steps"], 1);
  EXPECT_NE(json["certificate"]["row"].get<std::string>().find("disc.1 <b>"), std::string::npos);
  EXPECT_EQ(json["penetration"]["max"], 1e-9 * 3.0);
  EXPECT_EQ(json["joint_error"]["final"], 1e-10);
  // Potential energy at the start: 2 kg at 1.5 m.
  EXPECT_NEAR(json["energy"]["initial"].get<double>(), 2 * 9.81 * 1.5, 1e-12);
  EXPECT_EQ(json["energy"]["final"], 10);
  EXPECT_EQ(json["contacts"]["max"], 3);
  EXPECT_EQ(json["contacts"]["final"], 1);
  EXPECT_EQ(json["guard_corrections"], 3);
  EXPECT_EQ(json["added_pairs"], 6);
  EXPECT_EQ(json["solves"], 3);
  EXPECT_NEAR(json["cpu_ms_per_step"].get<double>(), 6, 1e-12);
  EXPECT_NEAR(json["cpu_ms_median"].get<double>(), 6, 1e-12);
  EXPECT_EQ(json["state_hash"].get<std::string>().size(), 16u);
  EXPECT_EQ(json["bodies"]["disc.1 <b>"]["orientation"].size(), 4u);
}

TEST(RunRecorder, StoppedAndInterruptedRunsSaySo) {
  const Scene scene = sample::scene();
  Result<record::RunRecorder> recorder = record::RunRecorder::create(scene);
  ASSERT_TRUE(recorder);
  StepReport step = sample::step(1);
  step.status = StepStatus::stopped;
  step.message = "not finite";
  ASSERT_TRUE(recorder->record(step, *scene.initial));
  const Result<record::RunOutcome> stopped = recorder->finish();
  ASSERT_TRUE(stopped);
  EXPECT_EQ(stopped->status, record::RunStatus::stopped);
  const auto json = nlohmann::json::parse(stopped->summary);
  EXPECT_EQ(json["message"], "not finite");
  EXPECT_EQ(json["steps"], 0);

  recorder = record::RunRecorder::create(scene);
  ASSERT_TRUE(recorder);
  const Result<record::RunOutcome> interrupted = recorder->finish("interrupted");
  ASSERT_TRUE(interrupted);
  EXPECT_EQ(nlohmann::json::parse(interrupted->summary)["status"], "stopped");
}

TEST(Expectations, AreFoundByPathAndCompared) {
  const std::string summary =
      R"({"penetration": {"max": 2e-7}, "bodies": {"a": {"b": 1}, "a.b": {"position": [1, 2, 3]}}, "bad": null})";
  Expectation equals;
  equals.quantity =
      "bodies.a.b.position[1]";  // the name with a dot is the longer match that leads somewhere
  equals.equals = 2.5;
  equals.tolerance = 0.5;
  Expectation outside = equals;
  outside.tolerance = 0.4;
  Expectation nested = at_most("bodies.a.b", 1);
  const auto results =
      record::evaluate({at_most("penetration.max", 1e-7), at_most("penetration.max", 2e-7), equals,
                        outside, nested, at_most("bad", 1)},
                       summary);
  ASSERT_TRUE(results);
  const std::vector<bool> expected = {false, true, true, false, true, false};
  for (std::size_t i = 0; i < expected.size(); ++i) EXPECT_EQ((*results)[i].ok, expected[i]) << i;
  EXPECT_EQ((*results)[0].bound, "<= 1e-07");
  EXPECT_EQ((*results)[2].value, 2);
}

TEST(Expectations, UnknownQuantitiesListTheKnownOnes) {
  const std::string summary =
      R"({"penetration": {"max": 1, "final": 2}, "status": "ok", "list": [1, 2]})";
  for (const char* quantity :
       {"penetration.maximum", "penetration", "status", "list[2]", "list[x]", "list[", ""}) {
    const auto results = record::evaluate({at_most(quantity, 1)}, summary, "a.json");
    ASSERT_FALSE(results) << quantity;
    EXPECT_EQ(results.error()[0].file, "a.json");
    EXPECT_EQ(results.error()[0].allowed, "penetration.max, penetration.final, list[0], list[1]");
  }
}

// A misspelt expectation is told before the run, not after it.
TEST(Expectations, AreCheckedBeforeTheFirstStep) {
  Scene scene = sample::scene();
  scene.expect = {at_most("penetration.deepest", 1)};
  const Result<record::RunRecorder> recorder = record::RunRecorder::create(scene);
  ASSERT_FALSE(recorder);
  EXPECT_EQ(recorder.error()[0].kind, ErrorKind::input);
  EXPECT_NE(recorder.error()[0].allowed.find("penetration.max"), std::string::npos);
  EXPECT_NE(recorder.error()[0].allowed.find("bodies.NAME.position[0]"), std::string::npos);
  scene.expect = {at_most("bodies.disc.1 <b>.position[1]", 2)};
  EXPECT_TRUE(record::RunRecorder::create(scene));
}

TEST(Series, MergedBucketsKeepExtremesAndTimes) {
  record::Series series;
  for (int i = 0; i < 10000; ++i) series.add(i, i == 5555 ? 7.0 : 0.0);
  EXPECT_LE(series.buckets().size(), record::Series::capacity);
  EXPECT_EQ(series.buckets().front().t_first, 0);
  EXPECT_EQ(series.buckets().back().t_last, 9999);
  double hi = 0, t_before = -1;
  for (const record::Series::Bucket& b : series.buckets()) {
    hi = std::max(hi, b.hi);
    EXPECT_EQ(b.t_first, t_before + 1);  // no step is lost
    t_before = b.t_last;
  }
  EXPECT_EQ(hi, 7);
}

// Points for a plot: all values lie between those of the buckets, and the ends are those of the
// run.
TEST(Series, PointsReachFromTheFirstTimeToTheLast) {
  record::Series series;
  for (int i = 0; i < 10000; ++i) series.add(0.1 * i, i == 5555 ? 7.0 : 0.0);
  const auto points = series.points();
  EXPECT_EQ(points.front().first, 0);
  EXPECT_EQ(points.back().first, 0.1 * 9999);
  EXPECT_EQ(points.size(), series.buckets().size() + 1);  // one bucket has two values
  EXPECT_TRUE(std::is_sorted(points.begin(), points.end(),
                             [](const auto& a, const auto& b) { return a.first < b.first; }));
  EXPECT_EQ(
      std::count_if(points.begin(), points.end(), [](const auto& p) { return p.second == 7; }), 1);
}

}  // namespace
}  // namespace cairn::test_run
