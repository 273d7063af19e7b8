// docs/scene-format.md says what the program does: its tables are those of the program, its
// examples are scenes.
#include <cstdlib>
#include <fstream>
#include <gtest/gtest.h>
#include <sstream>

#include "base/json/document.hpp"
#include "cairn/scene.hpp"
#include "scene/format/option_table.hpp"

namespace cairn::test_documentation {
namespace {

const std::string file = std::string(CAIRN_SOURCE_DIR) + "/docs/scene-format.md";

std::string document() {
  std::ifstream stream(file);
  std::ostringstream text;
  text << stream.rdbuf();
  return text.str();
}

// The lines between two markers; `length` of them.
std::pair<std::size_t, std::size_t> section(const std::string& text, const std::string& name) {
  const std::size_t begin = text.find('\n', text.find("<!-- begin " + name)) + 1;
  return {begin, text.find("<!-- end " + name) - begin};
}

// After a change of options or fields: CAIRN_UPDATE_DOCS=1 test_scene
// --gtest_filter=Documentation.* writes the tables.
TEST(Documentation, TablesAreThoseOfTheProgram) {
  std::string text = document();
  const bool update = std::getenv("CAIRN_UPDATE_DOCS") != nullptr;
  for (const auto& [name, table] :
       {std::pair<std::string, std::string>("fields", scene::field_table()),
        {"options", scene::option_table()}}) {
    const auto [begin, length] = section(text, name);
    ASSERT_NE(length, std::string::npos) << name;
    if (update)
      text.replace(begin, length, table);
    else
      EXPECT_EQ(text.substr(begin, length), table)
          << "regenerate: CAIRN_UPDATE_DOCS=1 test_scene --gtest_filter=Documentation.*";
  }
  if (update) std::ofstream(file) << text;
}

TEST(Documentation, ExamplesAreScenes) {
  const std::string text = document();
  int examples = 0;
  for (std::size_t at = 0; (at = text.find("```json\n", at)) != std::string::npos; ++examples) {
    at += 8;
    const Result<Scene> scene = parse_scene(text.substr(at, text.find("```", at) - at), "example");
    if (!scene)
      for (const Error& e : scene.error()) ADD_FAILURE() << e.text();
  }
  EXPECT_EQ(examples, 3);
}

// Every key of the tables is a property of the schema, and the schema is a JSON document.
TEST(Documentation, SchemaHasTheFieldsAndOptions) {
  const std::string schema = scene_schema();
  const Result<json::Node> parsed = json::parse_document(schema, "schema");
  ASSERT_TRUE(parsed.has_value()) << parsed.error()[0].text();
  const std::string tables = scene::field_table() + scene::option_table();
  int keys = 0;
  for (std::size_t at = 0; (at = tables.find("\n| `", at)) != std::string::npos; ++keys) {
    at += 4;
    const std::string key = tables.substr(at, tables.find('`', at) - at);
    EXPECT_NE(schema.find("\"" + key + "\": {"), std::string::npos) << key;
  }
  EXPECT_GT(keys, 100);
  const json::Node* euler = &parsed->find("$defs")->find("scheme")->find("oneOf")->items[0];
  EXPECT_EQ(euler->find("properties")->find("gamma")->find("maximum")->number, 2);
}

}  // namespace
}  // namespace cairn::test_documentation
