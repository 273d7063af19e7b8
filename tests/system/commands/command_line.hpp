// The program as a user or a script meets it: what the tests of its commands share.
#pragma once

#include <cstdlib>
#include <fcntl.h>
#include <filesystem>
#include <fstream>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>
#include <sstream>
#include <sys/wait.h>
#include <unistd.h>

#include "cairn/error.hpp"

namespace cairn {

namespace fs = std::filesystem;
using Json = nlohmann::json;

inline std::string read(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  std::ostringstream text;
  text << in.rdbuf();
  return text.str();
}

struct Outcome {
  int code = -1;         // exit code; 1000 + signal if it was killed
  std::string out, err;  // what it printed
};

// A folder of its own for each test, removed at the end.
class CommandLine : public ::testing::Test {
 protected:
  void SetUp() override {
    const auto* test = ::testing::UnitTest::GetInstance()->current_test_info();
    folder_ = fs::temp_directory_path() /
              ("cairn_cli_" + std::string(test->name()) + "_" + std::to_string(::getpid()));
    fs::create_directories(folder_);
  }
  void TearDown() override {
    std::error_code ignored;
    fs::remove_all(folder_, ignored);
  }

  std::string path(const std::string& name) const { return (folder_ / name).string(); }
  std::string write(const std::string& name, const std::string& text) const {
    std::ofstream(path(name), std::ios::binary) << text;
    return path(name);
  }

  // Starts the program with its output in files: nothing of it is a terminal.
  pid_t start(const std::vector<std::string>& words) const {
    std::vector<std::string> all = {CAIRN_PROGRAM};
    all.insert(all.end(), words.begin(), words.end());
    std::vector<char*> argv;
    for (std::string& word : all) argv.push_back(word.data());
    argv.push_back(nullptr);
    const std::string out = path("stdout"), err = path("stderr");
    const int flags = O_WRONLY | O_CREAT | O_TRUNC;
    const pid_t child = ::fork();
    if (child == 0) {
      ::dup2(::open("/dev/null", O_RDONLY), STDIN_FILENO);
      ::dup2(::open(out.c_str(), flags, 0600), STDOUT_FILENO);
      ::dup2(::open(err.c_str(), flags, 0600), STDERR_FILENO);
      ::execv(argv[0], argv.data());
      ::_exit(127);
    }
    EXPECT_GT(child, 0);
    return child;
  }
  Outcome wait(pid_t child) const {
    int status = 0;
    ::waitpid(child, &status, 0);
    return {WIFEXITED(status) ? WEXITSTATUS(status) : 1000 + WTERMSIG(status), read(path("stdout")),
            read(path("stderr"))};
  }
  Outcome run(const std::vector<std::string>& words) const { return wait(start(words)); }

  fs::path folder_;
};

// A disc that falls on a plank: 20 steps.
inline constexpr const char* disc_scene = R"({
  "cairn": 1, "name": "disc", "gravity": [0, -9.81, 0],
  "materials": {"default": {"friction": 0.3}},
  "bodies": [
    {"name": "plank", "fixed": true, "shapes": [{"type": "halfspace", "normal": [0, 1, 0]}]},
    {"name": "disc", "dof": "x y rz", "mass": 1, "position": [0, 0.51, 0],
     "shapes": [{"type": "disc", "radius": 0.5}]}],
  "simulation": {"step": 0.01, "duration": 0.2}
})";

inline std::string replaced(std::string text, const std::string& from, const std::string& to) {
  const std::size_t found = text.find(from);
  EXPECT_NE(found, std::string::npos) << from;
  return text.replace(found, from.size(), to);
}

// A line "error: FILE:LINE... [CODE]" that shows all of the names and values, and nothing on
// stdout.
inline void expect_error(const Outcome& outcome, int exit_code, ErrorCode code,
                         const std::vector<std::string>& data) {
  EXPECT_EQ(outcome.code, exit_code) << outcome.err;
  EXPECT_EQ(outcome.out, "");
  EXPECT_EQ(outcome.err.compare(0, 7, "error: "), 0) << outcome.err;
  EXPECT_NE(outcome.err.find(" [" + std::string(code_name(code)) + "]\n"), std::string::npos)
      << code_name(code) << " not in\n"
      << outcome.err;
  for (const std::string& datum : data)
    EXPECT_NE(outcome.err.find(datum), std::string::npos) << datum << " not in\n" << outcome.err;
}

}  // namespace cairn
