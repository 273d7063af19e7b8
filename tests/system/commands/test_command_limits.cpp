// What the commands do where a file cannot be written, an output would replace the input, or a name
// is no text: an exit code, an error, nothing half written.
#include <sys/resource.h>

#include "cairn/trace.hpp"
#include "record/edit_trace.hpp"
#include "system/commands/command_line.hpp"

namespace cairn::test_command_limits {
namespace {

class CommandLimits : public CommandLine {
 protected:
  // The program with a limit on the size of the files that it writes.
  Outcome run_limited(rlim_t bytes, const std::vector<std::string>& words) const {
    rlimit before{};
    EXPECT_EQ(::getrlimit(RLIMIT_FSIZE, &before), 0);
    const rlimit limited{bytes, before.rlim_max};
    EXPECT_EQ(::setrlimit(RLIMIT_FSIZE, &limited), 0);
    const pid_t child = start(words);
    EXPECT_EQ(::setrlimit(RLIMIT_FSIZE, &before), 0);
    return wait(child);
  }
  std::vector<std::string> names(const std::string& folder) const {
    std::vector<std::string> found;
    std::error_code ignored;
    for (const auto& entry : fs::recursive_directory_iterator(folder, ignored))
      if (!entry.is_directory()) found.push_back(entry.path().filename().string());
    std::sort(found.begin(), found.end());
    return found;
  }
  std::string recorded() const {
    const Outcome done = run({"run", write("disc.json", disc_scene), "--out", path("run")});
    EXPECT_EQ(done.code, 0) << done.err;
    return path("run/trace.cairn");
  }
};

const std::string pile = CAIRN_SOURCE_DIR "/tests/problems/cannonball66-settling-149.json";

// The complete frames stay, without a piece of the one that did not fit; nothing else does.
TEST_F(CommandLimits, ARunThatCannotWriteKeepsItsCompleteFrames) {
  const std::string scene = write("disc.json", disc_scene), out = path("results");
  expect_error(run_limited(40000, {"run", scene, "--out", out, "--set", "simulation.duration=100"}),
               5, ErrorCode::cannot_write, {"trace.cairn.part"});
  EXPECT_EQ(names(out), std::vector<std::string>{"trace.cairn.part"});
  const Json check = Json::parse(run({"check", out + "/trace.cairn.part", "--json"}).out);
  EXPECT_GT(check["frames"].get<int>(), 5);
  EXPECT_EQ(check["dropped_bytes"], 0);
  EXPECT_EQ(check["finding_count"], 0);
  EXPECT_FALSE(check["complete"].get<bool>());
}

TEST_F(CommandLimits, ARunThatCannotWriteItsFirstFrameLeavesNothing) {
  const std::string scene = write("disc.json", disc_scene);
  for (const rlim_t bytes : {0, 100, 1200}) {
    const std::string out = path("results" + std::to_string(bytes));
    // Not even the error fits into a file of no bytes.
    EXPECT_EQ(run_limited(bytes, {"run", scene, "--out", out}).code, 5) << bytes;
    EXPECT_TRUE(names(out).empty()) << bytes;
  }
}

TEST_F(CommandLimits, ARunThatCouldNotWriteGoesOnFromItsCheckpoint) {
  const std::string scene = write("disc.json", disc_scene);
  const std::string out = path("results"), whole = path("whole");
  ASSERT_EQ(run({"run", scene, "--out", whole}).code, 0);
  const std::uintmax_t size = fs::file_size(whole + "/trace.cairn");
  EXPECT_EQ(run_limited(size / 2, {"run", scene, "--out", out, "--checkpoint", "2"}).code, 5);
  EXPECT_EQ(names(out), (std::vector<std::string>{"checkpoint.cairn", "trace.cairn.part"}));
  ASSERT_EQ(run({"run", "--resume", out}).code, 0);
  EXPECT_EQ(Json::parse(read(out + "/summary.json"))["state_hash"],
            Json::parse(read(whole + "/summary.json"))["state_hash"]);
  EXPECT_EQ(run({"check", out + "/trace.cairn"}).code, 0);
}

// HDF5 ended the process with a signal, after its exit code was decided.
TEST_F(CommandLimits, ExportsThatCannotBeWrittenLeaveNothing) {
  const std::string trace = recorded();
  for (const std::string format : {"csv", "gltf", "vtk", "hdf5"}) {
    const std::string out = path("out_" + format);
    expect_error(run_limited(2048, {"export", trace, "--to", format, "-o", out}), 5,
                 ErrorCode::cannot_write, {});
    EXPECT_TRUE(!fs::exists(out) || names(out).empty()) << format;
  }
  expect_error(run_limited(2048, {"view", trace, "-o", path("view.html")}), 5,
               ErrorCode::cannot_write, {});
  expect_error(run_limited(2048, {"plot", trace, "energy", "-o", path("plot.svg")}), 5,
               ErrorCode::cannot_write, {});
  for (const std::string& name : names(folder_.string()))
    EXPECT_EQ(name.find(".part"), std::string::npos) << name;
  EXPECT_FALSE(fs::exists(path("view.html")));
  EXPECT_FALSE(fs::exists(path("plot.svg")));
}

TEST_F(CommandLimits, ProblemsThatCannotBeWrittenLeaveNothing) {
  for (const std::string file : {"problem.hdf5", "problem.h5", "problem.json"}) {
    expect_error(run_limited(2048, {"solve", pile, "--write", path(file)}), 5,
                 ErrorCode::cannot_write, {file});
    EXPECT_EQ(names(folder_.string()), (std::vector<std::string>{"stderr", "stdout"}));
    // A file that is there already stays as it is.
    write(file, "precious");
    EXPECT_EQ(run_limited(2048, {"solve", pile, "--write", path(file)}).code, 5);
    EXPECT_EQ(read(path(file)), "precious");
    EXPECT_EQ(run({"solve", pile, "--write", path(file)}).code, 0);
    EXPECT_EQ(run({"solve", path(file)}).code, 0);
    fs::remove(path(file));
  }
}

// ---- Inputs
// ----------------------------------------------------------------------------------------------------

TEST_F(CommandLimits, NoCommandWritesOverItsInput) {
  const std::string trace = recorded(), scene = path("disc.json");
  const std::string problem = path("problem.json");
  fs::copy_file(pile, problem);
  // Two links of each kind lead to each input, with the ending that its command wants.
  const auto links = [&](const std::string& input, const std::string& ending) {
    const std::string stem = path(fs::path(input).stem().string());
    std::error_code ignored;
    fs::create_symlink(input, stem + "_soft" + ending, ignored);
    fs::create_hard_link(input, stem + "_hard" + ending, ignored);
    return std::vector<std::string>{stem + "_soft" + ending, stem + "_hard" + ending};
  };
  const auto with_itself = [](std::vector<std::string> files, const std::string& input) {
    files.push_back(input);
    files.push_back((fs::path(input).parent_path() / "." / fs::path(input).filename()).string());
    return files;
  };
  const std::string before[] = {read(trace), read(scene), read(problem)};
  const auto refused = [&](const std::vector<std::string>& words, const std::string& out) {
    expect_error(run(words), 2, ErrorCode::overwrites_input, {out});
  };
  for (const std::string& out : with_itself(links(problem, ".json"), problem))
    refused({"solve", problem, "--write", out}, out);
  for (const std::string& out : with_itself(links(trace, ".h5"), trace)) {
    refused({"export", trace, "--to", "hdf5", "-o", out}, out);
    refused({"export", trace, "--to", "gltf", "-o", out}, out);
    refused({"view", trace, "-o", out}, out);
  }
  for (const std::string& out : links(trace, ".svg"))
    refused({"plot", trace, "energy", "-o", out}, out);
  for (const std::string& out : links(trace, ".png")) refused({"render", trace, "-o", out}, out);
  for (const std::string& out : with_itself(links(scene, ".html"), scene))
    refused({"compare", scene, "--out", out}, out);
  for (const std::string& out : with_itself(links(scene, ".svg"), scene))
    refused({"order", scene, "--out", out}, out);
  // A folder whose file is the input.
  fs::create_directory(path("csv"));
  fs::create_hard_link(trace, path("csv/steps.csv"));
  refused({"export", trace, "--to", "csv", "-o", path("csv")}, "steps.csv");
  fs::create_directory(path("linked"));
  for (const char* name : {"summary.json", "trace.cairn.part", "failed_problem_1.json"}) {
    fs::create_symlink(scene, path("linked") + "/" + name);
    expect_error(run({"run", scene, "--out", path("linked")}), 5, ErrorCode::overwrites_input, {});
    fs::remove(path("linked") + "/" + name);
  }
  // The temporary name of the output.
  fs::rename(problem, path("p.json.part"));
  refused({"solve", path("p.json.part"), "--write", path("p.json")}, "p.json");
  EXPECT_EQ(read(trace), before[0]);
  EXPECT_EQ(read(scene), before[1]);
  EXPECT_EQ(read(path("p.json.part")), before[2]);
}

// ---- Names
// ----------------------------------------------------------------------------------------------------

TEST_F(CommandLimits, NamesThatAreNotUtf8AreRefusedBeforeTheRun) {
  const std::string scene = write("disc.json", disc_scene), out = path("results");
  for (const std::string bad : {"\xff", "a\xc0\xaf", "\xed\xa0\x80", "cut \xc3"}) {
    expect_error(run({"run", scene, "--out", out, "--set", "name=" + bad}), 2, ErrorCode::encoding,
                 {"--set"});
    expect_error(run({"run", scene, "--out", out, "--set", "bodies.disc." + bad + "=1"}), 2,
                 ErrorCode::encoding, {"--set"});
  }
  // Without a name of its own a scene has that of its file.
  const std::string nameless = replaced(disc_scene, "\"name\": \"disc\", ", "");
  expect_error(run({"run", write("disc\xff.json", nameless), "--out", out}), 3, ErrorCode::encoding,
               {});
  EXPECT_FALSE(fs::exists(out));
  const Outcome good =
      run({"run", write("disc\xff.json", disc_scene), "--out", out, "--set", "name=caf\xc3\xa9"});
  EXPECT_EQ(good.code, 0) << good.err;
  EXPECT_EQ(run({"check", out + "/trace.cairn"}).code, 0);
  // A recording in a folder of any name can be read.
  fs::rename(out, path("moved\xff"));
  EXPECT_EQ(run({"check", path("moved\xff") + "/trace.cairn"}).code, 0);
}

// ---- Sections
// ----------------------------------------------------------------------------------------------------

// The recording of a later program: all readers give what they give without its sections.
TEST_F(CommandLimits, UnknownSectionsChangeNoResult) {
  const std::string trace = recorded(), plain = read(trace);
  const std::string longer = edit::with_unknown_sections(plain);
  ASSERT_GT(longer.size(), plain.size());
  const auto results = [&] {
    std::string all;
    for (const char* command : {"check", "info"}) {
      const Outcome outcome = run({command, trace, "--json"});
      EXPECT_EQ(outcome.code, 0) << outcome.err;
      all += outcome.out;
    }
    for (const char* format : {"csv", "gltf"})
      EXPECT_EQ(run({"export", trace, "--to", format}).code, 0);
    for (const char* file : {"csv/bodies.csv", "csv/contacts.csv", "csv/steps.csv", "run.glb"})
      all += read(path("run/") + file);
    return all;
  };
  const std::string before = results();
  write("run/trace.cairn", longer);
  EXPECT_EQ(results(), before);
}

}  // namespace
}  // namespace cairn::test_command_limits
