// Manual pages, completion and scenes by name: all of them follow the description of the command
// line, so that none can lack an option that the help has.
#include <algorithm>
#include <filesystem>
#include <regex>

#include "command_line.hpp"

namespace cairn::manual_tests {

using Manual = CommandLine;

// Words of `text` that match.
std::vector<std::string> words(const std::string& text, const std::string& pattern) {
  const std::regex regex(pattern);
  std::vector<std::string> found;
  for (std::sregex_iterator at(text.begin(), text.end(), regex), end; at != end; ++at)
    found.push_back(at->str(1));
  return found;
}

// The commands that `cairn --help` lists.
std::vector<std::string> commands(const std::string& help) {
  const std::size_t begin = help.find("Subcommands:\n");
  const std::size_t end = help.find("\n\n", begin);
  return words(help.substr(begin, end - begin), R"(\n +([a-z]+) )");
}

std::string unescaped(std::string roff) {
  return std::regex_replace(roff, std::regex(R"(\\-)"), "-");
}

TEST_F(Manual, PagesHaveEveryOptionOfTheHelp) {
  const std::vector<std::string> names = commands(run({"--help"}).out);
  ASSERT_GE(names.size(), 16u);
  const Outcome written = run({"manual", "--out", path("man")});
  ASSERT_EQ(written.code, 0) << written.err;
  const std::string whole = unescaped(read(path("man/cairn.1")));
  std::size_t options = 0;
  for (const std::string& name : names) {
    EXPECT_NE(whole.find("\\fB" + name + "\\fR\n"), std::string::npos) << name;
    const std::string help = run({name, "--help"}).out;
    const std::string page = read(path("man/cairn-" + name + ".1"));
    EXPECT_EQ(page, run({"manual", name}).out);
    const std::string text = unescaped(page);
    EXPECT_NE(text.find(".SH OPTIONS"), std::string::npos);
    for (const std::string& option : words(help, R"(\n +(?:-[a-z],)?(--[-a-z]+))")) {
      EXPECT_NE(text.find(option + "\\fR"), std::string::npos) << name << " " << option;
      ++options;
    }
  }
  EXPECT_GE(options, 60u);
  EXPECT_EQ(std::distance(fs::directory_iterator(path("man")), fs::directory_iterator()),
            static_cast<std::ptrdiff_t>(names.size() + 1));
}

// `man` and its kin take a line that begins with a point for a request.
TEST_F(Manual, LinesThatBeginWithAPointAreRequests) {
  const std::string known = "TH SH SS TP PP nf fi";
  for (const char* name : {"run", "bench", "plot", "render", "reproduce"}) {
    const std::string page = "\n" + run({"manual", name}).out;
    for (const std::string& request : words(page, R"(\n\.([^ \n]*))"))
      EXPECT_NE(known.find(request), std::string::npos) << name << " ." << request;
    EXPECT_EQ(page.find("\n'"), std::string::npos);
  }
}

TEST_F(Manual, UnknownNamesAreUsageErrors) {
  EXPECT_EQ(run({"manual", "rum"}).code, 2);
  EXPECT_NE(run({"manual", "rum"}).err.find("'run'"), std::string::npos);
  EXPECT_EQ(run({"completion", "csh"}).code, 2);
}

using Completion = CommandLine;

TEST_F(Completion, OffersEveryCommandAndOption) {
  const auto offered = [&](std::vector<std::string> typed) {
    typed.insert(typed.begin(), {"complete", "--"});
    const Outcome outcome = run(typed);
    EXPECT_EQ(outcome.code, 0) << outcome.err;
    std::vector<std::string> found = words("\n" + outcome.out, R"(\n([^\t\n]+))");
    std::sort(found.begin(), found.end());
    return found;
  };
  std::vector<std::string> names = commands(run({"--help"}).out);
  std::sort(names.begin(), names.end());
  EXPECT_EQ(offered({""}), names);
  for (const std::string& name : names) {
    std::vector<std::string> options =
        words(run({name, "--help"}).out, R"(\n +(?:-[a-z],)?(--[-a-z]+))");
    std::sort(options.begin(), options.end());
    EXPECT_EQ(offered({name, "--"}), options) << name;
  }
  using Words = std::vector<std::string>;
  EXPECT_EQ(offered({"re"}), (Words{"render", "reproduce"}));
  EXPECT_EQ(offered({"run", "x.json", "--set", "simulation.scheme.type=tr"}),
            Words{"simulation.scheme.type=trapezoidal"});
  EXPECT_EQ(offered({"run", "--set", "simulation.solver.max_sw"}),
            Words{"simulation.solver.max_sweeps="});
  EXPECT_EQ(offered({"run", "--out", ""}), Words{"@dirs"});
  EXPECT_EQ(offered({"solve", ""}), Words{"@files"});
  EXPECT_EQ(offered({"solve", "p.json", "--solver", "n"}), (Words{"newton", "nsgs"}));
  EXPECT_EQ(offered({"export", "out", "--to", "g"}), Words{"gltf"});
  EXPECT_EQ(offered({"bench", "gr"}), Words{"growth"});
  EXPECT_EQ(offered({"run", "--quiet", "--no-such"}), Words{});
  EXPECT_EQ(offered({"no-such", ""}), names);
}

// In a shell, where there is one: what is typed is completed by the script.
TEST_F(Completion, ScriptForBash) {
  if (std::system("command -v bash >/dev/null") != 0) GTEST_SKIP() << "no bash";
  const std::string script = write("script", run({"completion", "bash"}).out);
  const std::string program = CAIRN_PROGRAM;
  const auto completed = [&](const std::string& line) {
    const std::string command = "cd " + path("") + " && mkdir -p folder && touch file.json && . " +
                                script + " && COMP_LINE='" + program + " " + line +
                                "' && COMP_POINT=${#COMP_LINE} && _cairn && "
                                "printf '%s|' \"${COMPREPLY[@]}\" >" +
                                path("reply");
    EXPECT_EQ(
        std::system(
            ("bash -c '" + std::regex_replace(command, std::regex("'"), R"('\'')") + "'").c_str()),
        0);
    return read(path("reply"));
  };
  EXPECT_EQ(completed("sch"), "schema|");
  EXPECT_EQ(completed("run --chec"), "--checkpoint|");
  EXPECT_EQ(completed("run --set simulation.scheme.type=hyb"), "hybrid|");
  EXPECT_EQ(completed("run --set simulation.dur"), "simulation.duration=|");
  EXPECT_EQ(completed("run --out fo"), "folder|");
  EXPECT_EQ(completed("solve fi"), "file.json|");
}

using ScenesByName = CommandLine;

// An installed tree: bin/cairn, share/cairn/scenes.
TEST_F(ScenesByName, AreFoundBesideTheProgram) {
  fs::create_directories(path("tree/bin"));
  fs::create_directories(path("tree/share/cairn/scenes"));
  fs::copy_file(CAIRN_PROGRAM, path("tree/bin/cairn"));
  fs::copy_file(CAIRN_SOURCE_DIR "/scenes/wall.json", path("tree/share/cairn/scenes/wall.json"));
  const auto run_installed = [&](const std::string& words) {
    const int status = std::system(("cd " + path("") + " && tree/bin/cairn " + words + " >" +
                                    path("out") + " 2>" + path("err"))
                                       .c_str());
    return WEXITSTATUS(status);
  };
  EXPECT_EQ(run_installed("run wall --json"), 0) << read(path("err"));
  EXPECT_EQ(Json::parse(read(path("out")))["scene"], "wall");
  EXPECT_EQ(run_installed("info wall.json"), 0);
  EXPECT_EQ(run_installed("run wal"), 3);
  EXPECT_NE(read(path("err")).find("did you mean 'wall'?"), std::string::npos);
  EXPECT_EQ(run_installed("run nosuch/wall"), 3);
  EXPECT_EQ(run_installed("complete -- run wa"), 0);
  EXPECT_NE(read(path("out")).find("wall\tinstalled scene"), std::string::npos);
  // A file of that name comes first.
  write("wall", "{");
  EXPECT_EQ(run_installed("run wall"), 3);
}

}  // namespace cairn::manual_tests
