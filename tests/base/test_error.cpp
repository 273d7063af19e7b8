// Errors: one code for each kind of fault, documented, shown at the end of the line.
#include <fstream>
#include <gtest/gtest.h>
#include <set>
#include <sstream>

#include "cairn/error.hpp"

namespace cairn::test_error {
namespace {

TEST(Error, CodesHaveNamesAndMeaningsOfTheirOwn) {
  std::set<std::string_view> names, meanings;
  for (const ErrorCode code : all_error_codes()) {
    EXPECT_TRUE(names.insert(code_name(code)).second) << code_name(code);
    EXPECT_TRUE(meanings.insert(meaning(code)).second) << code_name(code);
    EXPECT_EQ(code_name(code).find_first_not_of("abcdefghijklmnopqrstuvwxyz_"),
              std::string_view::npos);
  }
  EXPECT_EQ(code_name(ErrorCode::unknown_key), "unknown_key");
  EXPECT_EQ(code_name(ErrorCode::invalid_argument), "invalid_argument");
  EXPECT_GT(names.size(), 40u);
}

TEST(Error, CodesAreThoseOfTheDocumentation) {
  std::ifstream stream(std::string(CAIRN_SOURCE_DIR) + "/docs/conventions.md");
  std::ostringstream text;
  text << stream.rdbuf();
  for (const ErrorCode code : all_error_codes()) {
    const std::string row =
        "| `" + std::string(code_name(code)) + "` | " + std::string(meaning(code)) + " |\n";
    EXPECT_NE(text.str().find(row), std::string::npos) << row;
  }
}

TEST(Error, TextIsOneLineWithTheCodeAtItsEnd) {
  const Error error{.code = ErrorCode::out_of_range,
                    .file = "a.json",
                    .line = 3,
                    .column = 7,
                    .path = "bodies[0].mass",
                    .what = "too light",
                    .got = "0",
                    .allowed = "above 0",
                    .fix = "eat"};
  EXPECT_EQ(error.text(),
            "error: a.json:3:7: bodies[0].mass: too light, got 0; allowed above 0; fix: eat "
            "[out_of_range]");
}

}  // namespace
}  // namespace cairn::test_error
