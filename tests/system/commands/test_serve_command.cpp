// cairn view --serve as a command: exit codes, and what is wrong before it listens.
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <gtest/gtest.h>
#include <sstream>

#include "live_program.hpp"

namespace cairn::test_serve_command {
namespace {

namespace fs = std::filesystem;

const std::string scene = CAIRN_SOURCE_DIR "/scenes/tower10.json";

struct Said {
  int code = -1;
  std::string text;  // on both streams
};

Said cairn(const std::string& words) {
  const fs::path file = fs::temp_directory_path() / ("cairn_serve_" + std::to_string(::getpid()));
  const int status =
      std::system((CAIRN_PROGRAM " " + words + " >" + file.string() + " 2>&1").c_str());
  std::ifstream in(file);
  std::ostringstream text;
  text << in.rdbuf();
  fs::remove(file);
  return {WIFEXITED(status) ? WEXITSTATUS(status) : -1, text.str()};
}

TEST(ServeCommand, EndsCleanlyOnSignals) {
  for (const int signal : {SIGINT, SIGTERM}) {
    LiveProgram program(scene);
    EXPECT_TRUE(program.address().starts_with("http://127.0.0.1:")) << program.address();
    EXPECT_EQ(program.end(signal), 128 + signal);
  }
}

TEST(ServeCommand, RefusesWhatItCannotServe) {
  EXPECT_EQ(cairn("view --serve " + scene + " -o page.html").code, 2);
  EXPECT_EQ(cairn("view --port 1234 " + scene).code, 2);
  EXPECT_EQ(cairn("view --serve --port 70000 " + scene).code, 2);
  EXPECT_EQ(cairn("view --serve --set simulation.step=-1 " + scene).code, 2);
  EXPECT_EQ(cairn("view --serve no_such_scene.json").code, cairn("run no_such_scene.json").code);
}

TEST(ServeCommand, NamesAPortThatIsTaken) {
  LiveProgram program(scene);
  ASSERT_NE(program.address(), "");
  const std::size_t at = program.address().rfind(':') + 1;
  const std::string port = program.address().substr(at, program.address().find('/', at) - at);
  const Said said = cairn("view --serve --port " + port + " " + scene);
  EXPECT_EQ(said.code, 5);
  EXPECT_NE(said.text.find("[in_use]"), std::string::npos) << said.text;
  EXPECT_NE(said.text.find(port), std::string::npos) << said.text;
}

}  // namespace
}  // namespace cairn::test_serve_command
