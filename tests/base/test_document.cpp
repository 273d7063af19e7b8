// The JSON parser: values, places, and every kind of malformed text.
#include <cmath>
#include <gtest/gtest.h>

#include "base/json/count_values.hpp"
#include "base/json/document.hpp"
#include "scene/paths.hpp"

namespace cairn::test_document {
namespace {

json::Node parsed(const std::string& text) {
  const Result<json::Node> node = json::parse_document(text, "f");
  EXPECT_TRUE(node.has_value()) << text << ": " << (node ? "" : node.error()[0].text());
  return node.value_or(json::Node());
}

TEST(Document, ValuesAndPlaces) {
  const json::Node root = parsed(
      "{\n  // comment\n  \"a\": [1, -2.5e3, true],\n  /* two\n lines */ \"b\": "
      "\"x\\u00e9\\ud83d\\ude00\\n\"\n}");
  EXPECT_EQ(root.line, 1);
  const json::Node& a = *root.find("a");
  EXPECT_EQ(a.line, 3);
  EXPECT_EQ(a.column, 8);
  EXPECT_EQ(a.items[1].number, -2500);
  EXPECT_EQ(a.items[1].column, 12);
  EXPECT_TRUE(a.items[2].boolean);
  EXPECT_EQ(root.find("b")->string, "x\xC3\xA9\xF0\x9F\x98\x80\n");
  EXPECT_EQ(root.find("b")->line, 5);
  EXPECT_EQ(root.keys[1].column, 11);
  EXPECT_EQ(root.find("c"), nullptr);
}

// Columns count characters, not bytes; a byte order mark does not count at all.
TEST(Document, ColumnsCountCharacters) {
  const json::Node root = parsed("\xEF\xBB\xBF{\"\xC3\xA4\xE2\x82\xAC\": 1, \"b\": 2}");
  EXPECT_EQ(root.column, 1);
  EXPECT_EQ(root.items[0].column, 8);
  EXPECT_EQ(root.items[1].column, 16);
}

TEST(Document, NumbersAreReadToTheNearestDouble) {
  EXPECT_EQ(parsed("0.1").number, 0.1);
  EXPECT_EQ(parsed("5e-324").number, 5e-324);
  EXPECT_EQ(parsed("1e-999").number, 0);
  EXPECT_TRUE(std::signbit(parsed("-0").number));
}

TEST(Document, TextReadsBackToTheSameBits) {
  for (const double x : {0.1, 1.0 / 3, 1e300, 5e-324, -0.0, 123456789.123456789, 1e22}) {
    const double back = parsed(json::to_json(json::Node(x))).number;
    EXPECT_EQ(back, x);
    EXPECT_EQ(std::signbit(back), std::signbit(x));
  }
  EXPECT_EQ(parsed(json::to_json(json::Node("a\"\\\n\x01\xC3\xA9"))).string, "a\"\\\n\x01\xC3\xA9");
}

struct Fault {
  std::string text;
  int line, column;
  ErrorCode code;
};

TEST(Document, MalformedTextIsRefusedInItsPlace) {
  const std::vector<Fault> faults = {
      {"", 1, 1, ErrorCode::empty},
      {" \n // words\n", 3, 1, ErrorCode::empty},
      {"{\n \"a\": }", 2, 7, ErrorCode::syntax},
      {"{\"a\": 1,\n}", 1, 8, ErrorCode::syntax},
      {"[1, 2,]", 1, 6, ErrorCode::syntax},
      {"[1 2]", 1, 4, ErrorCode::syntax},
      {"{\"a\" 1}", 1, 6, ErrorCode::syntax},
      {"{a: 1}", 1, 2, ErrorCode::syntax},
      {"{'a': 1}", 1, 2, ErrorCode::syntax},
      {"['a']", 1, 2, ErrorCode::syntax},
      {"[NaN]", 1, 2, ErrorCode::not_finite},
      {"[Infinity]", 1, 2, ErrorCode::not_finite},
      {"[-Infinity]", 1, 2, ErrorCode::syntax},
      {"[1e999]", 1, 2, ErrorCode::out_of_range},
      {"[-1e999]", 1, 2, ErrorCode::out_of_range},
      {"[01]", 1, 2, ErrorCode::syntax},
      {"[1.]", 1, 2, ErrorCode::syntax},
      {"[.5]", 1, 2, ErrorCode::syntax},
      {"[+1]", 1, 2, ErrorCode::syntax},
      {"[0x10]", 1, 2, ErrorCode::syntax},
      {"[3m]", 1, 2, ErrorCode::syntax},
      {"[1.2.3]", 1, 2, ErrorCode::syntax},
      {"[tru]", 1, 2, ErrorCode::syntax},
      {"\"abc", 1, 1, ErrorCode::syntax},
      {"[\"a\nb\"]", 1, 2, ErrorCode::syntax},
      {"[\"a\tb\"]", 1, 4, ErrorCode::syntax},
      {"[\"\\x\"]", 1, 3, ErrorCode::syntax},
      {"[\"\\ud800\"]", 1, 3, ErrorCode::syntax},
      {"[\"\xFF\"]", 1, 3, ErrorCode::encoding},
      {"[\"\xC0\x80\"]", 1, 3, ErrorCode::encoding},
      {"[\"\xED\xA0\x80\"]", 1, 3, ErrorCode::encoding},
      {"{} {}", 1, 4, ErrorCode::syntax},
      {"{} /* open", 1, 4, ErrorCode::syntax},
      {"{} / 1", 1, 4, ErrorCode::syntax},
      {"{\"a\": 1,\n \"b\": 2,\n \"a\": 3}", 3, 2, ErrorCode::duplicate_key},
  };
  for (const auto& [text, line, column, code] : faults) {
    const Result<json::Node> node = json::parse_document(text, "f");
    ASSERT_FALSE(node.has_value()) << text;
    const Error& error = node.error()[0];
    EXPECT_EQ(error.code, code) << text << ": " << error.text();
    EXPECT_EQ(error.line, line) << text << ": " << error.text();
    EXPECT_EQ(error.column, column) << text << ": " << error.text();
    EXPECT_EQ(error.file, "f");
  }
}

TEST(Document, LimitsAreKept) {
  const auto code = [](const std::string& text, const json::DocumentLimits& limits) {
    const Result<json::Node> node = json::parse_document(text, "f", limits);
    if (node) return ErrorCode::none;
    EXPECT_EQ(node.error()[0].kind, ErrorKind::limit);
    return node.error()[0].code;
  };
  EXPECT_EQ(code(std::string(100000, '['), {}), ErrorCode::too_deep);
  EXPECT_EQ(code(std::string(65, '[') + std::string(65, ']'), {}), ErrorCode::none);
  EXPECT_EQ(code(std::string(66, '[') + std::string(66, ']'), {}), ErrorCode::too_deep);
  EXPECT_EQ(code("\"" + std::string(70000, 'x') + "\"", {}), ErrorCode::too_large);
  EXPECT_EQ(code("[1,2,3]", {.bytes = 6}), ErrorCode::too_large);
  EXPECT_EQ(code("[1,2,3]", {.nodes = 3}), ErrorCode::too_many);
  // Counted before the first value is built, and counted right.
  EXPECT_EQ(code("[1,2,3,4,5,6]", {.nodes = 6}), ErrorCode::too_many);
  EXPECT_TRUE(json::parse_document("[1,2,3,4,5,6]", "f", {.nodes = 7}).has_value());
  EXPECT_TRUE(json::parse_document(std::string(64, '[') + std::string(64, ']'), "f").has_value());
}

// The count that decides before anything is allocated is that of the parser.
TEST(Document, ValuesAreCountedWithoutBuildingThem) {
  const auto values = [](const json::Node& node) {
    const auto count = [](const auto& self, const json::Node& n) -> std::size_t {
      std::size_t sum = 1;
      for (const json::Node& item : n.items) sum += self(self, item);
      return sum;
    };
    return count(count, node);
  };
  for (const std::string text :
       {"1", "[]", "{}", "[ ]", "[1]", "[1, 2]", "[[], {}, [[]]]", R"({"a": 1, "b": [1, {}]})",
        R"(["a,b", "[", "\\", "\"", "{,"])", "// , [\n[1, /* ,,, */ 2] // ,"}) {
    EXPECT_EQ(json::count_values(text), values(parsed(text))) << text;
  }
  for (const std::string text : {"", "[", "\"", "\"\\", "/*", "//", "/", "[,", "{\"a"})
    EXPECT_LE(json::count_values(text), text.size() + 1) << text;
}

// Names may hold points: the longest key that fits is meant.
TEST(Document, PathsFindTheDeepestNode) {
  const json::Node root =
      parsed(R"({"a": {"x.y": 1, "x": {"y": 2}}, "b": [{"name": "p.q", "m": 3}]})");
  EXPECT_EQ(scene::deepest(root, "a.x.y").number, 1);
  EXPECT_EQ(scene::deepest(root, "b[0].m").number, 3);
  EXPECT_EQ(scene::deepest(root, "b.p.q.m").number, 3);
  EXPECT_EQ(&scene::deepest(root, "b[0].none"), &root.find("b")->items[0]);
  EXPECT_EQ(&scene::deepest(root, "b[7].m"), root.find("b"));
}

}  // namespace
}  // namespace cairn::test_document
