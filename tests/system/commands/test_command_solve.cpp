// Commands about problems and figures: solve, info, compare, reproduce, bench, view.
#include "system/commands/command_line.hpp"

namespace cairn::test_command_solve {
namespace {

TEST_F(CommandLine, SolveReturnsTheVerdict) {
  const std::string problem = CAIRN_SOURCE_DIR "/tests/problems/cannonball66-settling-149.json";
  const Outcome good = run({"solve", problem, "--json"});
  EXPECT_EQ(good.code, 0) << good.err;
  const Json json = Json::parse(good.out);
  EXPECT_EQ(json["status"], "certified");
  EXPECT_LE(json["certificate"]["worst"].get<double>(), 1e-8);
  EXPECT_EQ(json["v"].size(), 198u);  // 66 discs
  const Outcome bad = run({"solve", problem, "--tolerance", "1e-300"});
  EXPECT_EQ(bad.code, 4);
  EXPECT_EQ(bad.out.compare(0, 13, "NOT CERTIFIED"), 0) << bad.out;
  expect_error(run({"solve", write("p.json", "{\"cairn_problem\": 1}")}), 3, ErrorCode::missing_key,
               {"p.json"});
}

// A beam on three supports, the middle one under the weight: the outer ones carry up to half of it.
TEST_F(CommandLine, SolveTellsWhatIsNotUnique) {
  const std::string beam = write("beam.json", R"({"cairn_problem": 1,
    "units": {"mass": 1, "length": 1, "time": 0.5},
    "bodies": [{"A": [[2, 0], [0, 1]], "k": [-4, 0]}],
    "constraints": [
      {"name": "left", "law": "nonnegative", "bodies": [-1, 0], "J": [[], [[1, -1]]], "b": [0]},
      {"name": "middle", "law": "nonnegative", "bodies": [-1, 0], "J": [[], [[1, 0]]], "b": [0]},
      {"name": "right", "law": "nonnegative", "bodies": [-1, 0], "J": [[], [[1, 1]]], "b": [0]}]})");
  const Outcome done =
      run({"solve", beam, "--rank", "--least-norm", "--intervals", "--jamming", "--json"});
  EXPECT_EQ(done.code, 0) << done.err;
  const Json json = Json::parse(done.out);
  EXPECT_EQ(json["status"], "certified");
  EXPECT_EQ(json["rank"]["rows"], 3);
  EXPECT_EQ(json["rank"]["rank"], 2);
  EXPECT_EQ(json["unique"], false);
  const double largest[] = {2, 4, 2};
  for (std::size_t i = 0; i < 3; ++i) {
    EXPECT_NEAR(json["intervals"][i]["min"][0].get<double>(), 0, 1e-13);
    EXPECT_NEAR(json["intervals"][i]["max"][0].get<double>(), largest[i], 1e-13);
    EXPECT_NEAR(json["constraints"][i]["lambda"][0].get<double>(), 4.0 / 3, 1e-13);
  }
  EXPECT_EQ(json["least_norm"]["taken"], true);
  EXPECT_NEAR(json["resultants"]["bodies"][0][0].get<double>(), 4, 1e-13);
  EXPECT_EQ(json["jamming"]["pointed"], true);

  const Outcome table = run({"solve", beam, "--intervals", "--jamming"});
  EXPECT_EQ(table.code, 0) << table.err;
  EXPECT_NE(table.out.find("middle"), std::string::npos) << table.out;
  const Outcome plain = run({"solve", beam, "--json"});
  EXPECT_FALSE(Json::parse(plain.out).contains("rank"));
  // Velocities that do not hold say nothing.
  const std::string pile = CAIRN_SOURCE_DIR "/tests/problems/cannonball66-settling-149.json";
  const Outcome bad = run({"solve", pile, "--intervals", "--tolerance", "1e-300", "--json"});
  EXPECT_EQ(bad.code, 4);
  EXPECT_FALSE(Json::parse(bad.out).contains("intervals")) << bad.out;
  expect_error(run({"solve", beam, "--solver", "all", "--rank"}), 2, ErrorCode::conflict,
               {"--solver all", "--rank"});
}

TEST_F(CommandLine, SolveReadsOtherProgramsFilesAndWritesOurs) {
  // M = [2 1; 1 2], q = (-5, -6): z = (4/3, 7/3).
  const std::string lcp = write("lcp.dat", "2\n0\n2\n2\n2 2\n2 1\n1 2\n-5 -6\n");
  const Outcome good = run({"solve", lcp, "--json"});
  EXPECT_EQ(good.code, 0) << good.err;
  const Json json = Json::parse(good.out);
  EXPECT_EQ(json["status"], "certified");
  EXPECT_EQ(json["solver"], "auto");
  EXPECT_GE(json["cpu_ms"].get<double>(), 0);
  for (const char* key : {"natural_map", "complementarity", "cone", "momentum", "equality"})
    EXPECT_LE(json["certificate"][key].get<double>(), 1e-8) << key;
  EXPECT_NEAR(json["constraints"][0]["lambda"][0].get<double>(), 4.0 / 3, 1e-8);

  const Outcome all = run({"solve", lcp, "--solver", "all", "--json"});
  EXPECT_EQ(all.code, 0);
  const Json solvers = Json::parse(all.out)["solvers"];
  EXPECT_GE(solvers.size(), 4u);
  for (const Json& each : solvers) EXPECT_EQ(each["status"], "certified") << each["solver"];
  EXPECT_EQ(run({"solve", lcp, "--solver", "all"}).code, 0);

  // There and back through both formats that we write.
  const std::string contact =
      write("fc.dat", "3\n1\n0\n3 3\n3 3\n2 0 0\n0 3 0\n0 0 4\n-1 2 0\n0.25\n");
  const std::string fclib = path("fc.hdf5"), text = path("fc.json");
  EXPECT_EQ(run({"solve", contact, "--write", fclib}).code, 0);
  EXPECT_EQ(run({"solve", fclib, "--write", text}).code, 0);
  const Outcome last = run({"solve", text, "--json"});
  EXPECT_EQ(last.code, 0) << last.err;
  EXPECT_NEAR(Json::parse(last.out)["constraints"][0]["lambda"][0].get<double>(), 0.5, 1e-12);
  EXPECT_EQ(run({"info", fclib, "--json"}).code, 0);
  EXPECT_EQ(run({"info", contact}).code, 0);

  // Refusals and faults.
  expect_error(run({"solve", contact, "--solver", "lemke"}), 3, ErrorCode::unsupported,
               {"lemke", "facets"});
  expect_error(run({"solve", lcp, "--write", fclib}), 3, ErrorCode::unsupported,
               {"FCLIB", ".json"});
  expect_error(run({"solve", lcp, "--write", path("a.xml")}), 2, ErrorCode::unknown_choice,
               {".json", ".hdf5"});
  expect_error(run({"solve", write("cut.dat", "2\n0\n2\n2\n2 2\n2 1\n")}), 3, ErrorCode::wrong_size,
               {"cut.dat:5"});
  const Outcome none = run({"solve", write("ray.dat", "1 0 1 1 1 1 -1 -1"), "--json"});
  EXPECT_EQ(none.code, 4);
  EXPECT_EQ(Json::parse(none.out)["status"], "ray");
}

TEST_F(CommandLine, InfoTellsScenesTracesAndProblems) {
  const std::string scene = write("disc.json", disc_scene), out = path("results");
  ASSERT_EQ(run({"run", scene, "--out", out}).code, 0);
  for (const std::string& file :
       {scene, out + "/trace.cairn",
        std::string(CAIRN_SOURCE_DIR "/tests/problems/cannonball66-first.json")}) {
    EXPECT_EQ(run({"info", file}).code, 0) << file;
    const Outcome json = run({"info", file, "--json"});
    EXPECT_EQ(json.code, 0);
    EXPECT_TRUE(Json::parse(json.out, nullptr, false).is_object()) << file;
  }
}

// Every line of the comparison is a run that can be had by itself, to the same bits.
TEST_F(CommandLine, ComparesLawsWithTheFiguresOfSeparateRuns) {
  const std::string scene =
      write("disc.json", replaced(disc_scene, "\"position\": [0, 0.51, 0]",
                                  "\"position\": [0, 0.51, 0], \"velocity\": [2, 0, 0]"));
  const Outcome outcome = run({"compare", scene, "--json", "--out", path("laws.html")});
  EXPECT_EQ(outcome.code, 0) << outcome.err;
  EXPECT_EQ(outcome.err, "");
  const Json json = Json::parse(outcome.out, nullptr, false);
  ASSERT_TRUE(json.is_object()) << outcome.out;
  ASSERT_EQ(json["variants"].size(), 5u);
  for (const Json& variant : json["variants"]) {
    const bool relaxed = variant["law"] == "coulomb_relaxed";
    EXPECT_EQ(relaxed, variant["name"] == "relaxed");
    const std::string scheme = Json{
        {"type", relaxed ? "relaxed" : "euler"},
        {"restitution", "completed"},
        {"facets",
         variant["facets"]}}.dump();
    const Outcome alone = run({"run", scene, "--json", "--set", "simulation.scheme=" + scheme});
    const Json summary = Json::parse(alone.out, nullptr, false);
    ASSERT_TRUE(summary.is_object()) << alone.err;
    EXPECT_EQ(variant["state_hash"], summary["state_hash"]) << variant["name"];
    EXPECT_EQ(variant["certificate"]["worst"], summary["certificate"]["worst"]);
    EXPECT_EQ(variant["penetration"], summary["penetration"]["max"]);
    EXPECT_EQ(variant["energy_final"], summary["energy"]["final"]);
    EXPECT_EQ(variant["solves"], summary["solves"]);
    EXPECT_EQ(summary["friction"]["law"], variant["law"]);
    if (!relaxed) continue;
    EXPECT_EQ(variant["coulomb_residual"], summary["friction"]["coulomb_residual_max"]);
  }
  EXPECT_NE(read(path("laws.html")).find("<svg"), std::string::npos);
}

TEST_F(CommandLine, ComparisonWarnsWhereTheRelaxationIsOff) {
  const std::string scene =
      write("disc.json", replaced(disc_scene, "\"position\": [0, 0.51, 0]",
                                  "\"position\": [0, 0.5, 0], \"velocity\": [2, 0, 0]"));
  const Outcome strict = run({"compare", scene, "--tolerance", "1e-6"});
  EXPECT_EQ(strict.code, 0) << strict.err;
  EXPECT_TRUE(strict.err.starts_with("warning: relaxed")) << strict.err;
  const Outcome lax = run({"compare", scene, "--tolerance", "1e6"});
  EXPECT_EQ(lax.err, "");
  expect_error(run({"compare", path("none.json")}), 3, ErrorCode::not_found, {"none.json"});
  EXPECT_EQ(run({"compare", scene, "--tolerance", "-1"}).code, 2);
  EXPECT_EQ(run({"compare"}).code, 2);
}

// The list, two experiments with plots, and a misspelt one.
TEST_F(CommandLine, ReproduceListsRunsAndDraws) {
  const Outcome list = run({"reproduce"});
  EXPECT_EQ(list.code, 0);
  EXPECT_NE(list.out.find("hart-infeasibility"), std::string::npos);

  const Outcome result = run(
      {"reproduce", "anitescu-wall", "hart-pendulum", "--fast", "--json", "--out", path("plots")});
  EXPECT_EQ(result.code, 0);
  const Json entries = Json::parse(result.out);
  for (const Json& e : entries) {
    // One number to compare with, in the column of its source, and where it comes from.
    int numbers = 0;
    for (const char* source : {"paper", "closed_form", "reference"}) {
      if (e[source].is_null()) continue;
      ++numbers;
      EXPECT_NEAR(e["ours"].get<double>() - e[source].get<double>(), e["difference"], 1e-15);
    }
    EXPECT_EQ(numbers, 1) << e.dump();
    EXPECT_FALSE(e["place"].get<std::string>().empty());
    EXPECT_TRUE(e["verdict"] == "match" || e["verdict"] == "close") << e.dump();
  }
  EXPECT_EQ(entries.front()["id"], "anitescu-wall");
  EXPECT_EQ(entries.back()["id"], "hart-pendulum");
  EXPECT_TRUE(fs::exists(path("plots/hart-pendulum.svg")));

  const Outcome unknown = run({"reproduce", "hart-pendulums"});
  EXPECT_EQ(unknown.code, 2);
  EXPECT_NE(unknown.err.find("'hart-pendulum'"), std::string::npos) << unknown.err;
  EXPECT_NE(unknown.err.find("[unknown_choice]"), std::string::npos) << unknown.err;
}

// Every solver takes the problem; what is called certified meets its tolerance.
TEST_F(CommandLine, BenchTellsTimesAndResiduals) {
  const Outcome outcome = run(
      {"bench", "solvers", "--case", "stack10", "--solver", "auto", "--solver", "ipm", "--json"});
  ASSERT_EQ(outcome.code, 0) << outcome.err;
  const Json json = Json::parse(outcome.out);
  ASSERT_EQ(json.size(), 1u);
  EXPECT_EQ(json[0]["constraints"], 40);
  for (const auto& [solver, levels] : json[0]["solvers"].items())
    for (const Json& level : levels)
      EXPECT_EQ(level["certified"].get<bool>(),
                level["residual"].get<double>() <= level["tolerance"].get<double>())
          << solver;
  expect_error(run({"bench", "solvers", "--case", "stack11"}), 2, ErrorCode::unknown_choice,
               {"stack11", "stack10"});
}

TEST_F(CommandLine, BenchTellsWhatTheContactFilterSaves) {
  const Outcome outcome = run({"bench", "filter", "--json"});
  ASSERT_EQ(outcome.code, 0) << outcome.err;
  const Json json = Json::parse(outcome.out);
  ASSERT_EQ(json.size(), 6u);
  for (std::size_t i = 0; i < json.size(); i += 2) {
    const Json &without = json[i], &with = json[i + 1];
    EXPECT_EQ(without["motion"], with["motion"]);
    EXPECT_GE(without["contacts"], 10 * with["contacts"].get<double>()) << with["motion"];
    EXPECT_LE(with["certificate"], 1e-8) << with["motion"];
    for (std::size_t k = 0; k < 3; ++k)
      EXPECT_NEAR(without["position"][k], with["position"][k], 1e-6) << with["motion"];
  }
}

// 125 and 216 spheres, each to two accuracies; the chart has a point for each.
TEST_F(CommandLine, BenchTellsHowPackingsGrow) {
  const std::string chart = path("growth.svg");
  const Outcome outcome = run({"bench", "growth", "--most", "1000", "--out", chart, "--json"});
  ASSERT_EQ(outcome.code, 0) << outcome.err;
  const Json json = Json::parse(outcome.out);
  ASSERT_EQ(json.size(), 4u);
  for (const Json& each : json) {
    EXPECT_TRUE(each["certified"].get<bool>());
    EXPECT_LE(each["residual"].get<double>(), each["tolerance"].get<double>());
    EXPECT_GT(each["contacts"].get<int>(), 2 * each["bodies"].get<int>());
  }
  EXPECT_EQ(json[0]["bodies"], 125);
  EXPECT_EQ(json[3]["bodies"], 216);
  const std::string svg = read(chart);
  std::size_t dots = 0;
  for (std::size_t at = svg.find("class=\"dot "); at != std::string::npos;
       at = svg.find("class=\"dot ", at + 1))
    ++dots;
  EXPECT_EQ(dots, json.size());
  expect_error(run({"bench", "growth", "--most", "10"}), 2, ErrorCode::invalid_argument, {"1000"});
}

TEST_F(CommandLine, ViewWritesOnePageBesideTheTrace) {
  ASSERT_EQ(run({"run", write("disc.json", disc_scene), "--out", path("out")}).code, 0);
  const Outcome outcome = run({"view", path("out")});
  EXPECT_EQ(outcome.code, 0) << outcome.err;
  EXPECT_NE(outcome.out.find("21"), std::string::npos) << outcome.out;
  EXPECT_EQ(outcome.err, "");
  const std::string page = read(path("out/view.html"));
  EXPECT_NE(page.find("id=\"cairn-clip\""), std::string::npos);
  const Outcome again = run({"view", path("out/trace.cairn"), "-o", path("a.html"), "--json"});
  EXPECT_EQ(again.code, 0) << again.err;
  EXPECT_EQ(read(path("a.html")), page);
  const Json json = Json::parse(again.out);
  EXPECT_EQ(json["bytes"], page.size());
  EXPECT_EQ(json["frames"], 21);
  EXPECT_TRUE(json["complete"]);
}

// Neighbours merge until the page holds at most as many as asked for; first and last stay.
TEST_F(CommandLine, ViewKeepsAsManyFramesAsAskedFor) {
  const std::string scene = write("disc.json", disc_scene);
  ASSERT_EQ(run({"run", scene, "--out", path("out")}).code, 0);
  const Json few = Json::parse(run({"view", path("out"), "--frames", "8", "--json"}).out);
  EXPECT_LE(few["frames"], 9);
  EXPECT_GE(few["frames"], 4);
  EXPECT_EQ(few["steps"], 20);
  const Json all = Json::parse(run({"view", path("out"), "--frames", "100", "--json"}).out);
  EXPECT_EQ(all["frames"], 21);
  EXPECT_EQ(run({"view", path("out"), "--frames", "1"}).code, 2);
}

TEST_F(CommandLine, ViewSaysWhatItCannotDo) {
  expect_error(run({"view", path("nothing")}), 3, ErrorCode::not_found, {"nothing"});
  fs::create_directories(path("empty"));
  expect_error(run({"view", path("empty")}), 3, ErrorCode::not_found,
               {"empty", "trace.cairn", "cairn run"});
  expect_error(run({"view", write("disc.json", disc_scene)}), 3, ErrorCode::wrong_format,
               {"disc.json"});
  ASSERT_EQ(run({"run", path("disc.json"), "--out", path("out")}).code, 0);
  const std::string trace = path("out/trace.cairn"), bytes = read(trace);
  expect_error(run({"view", trace, "-o", trace}), 2, ErrorCode::overwrites_input, {trace});
  EXPECT_EQ(read(trace), bytes);
  expect_error(run({"view", trace, "-o", path("none/a.html")}), 5, ErrorCode::cannot_write,
               {"none/a.html"});
  expect_error(run({"view", trace, "-o", ""}), 2, ErrorCode::invalid_argument, {"-o"});

  // A cut trace is shown as far as it goes, with a warning.
  write("out/trace.cairn", bytes.substr(0, bytes.size() / 2));
  const Outcome cut = run({"view", trace});
  EXPECT_EQ(cut.code, 0);
  EXPECT_TRUE(cut.err.starts_with("warning: " + trace)) << cut.err;
}

}  // namespace
}  // namespace cairn::test_command_solve
