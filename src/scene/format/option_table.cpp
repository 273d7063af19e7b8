// Writes Markdown tables of options and fields.
#include "scene/format/option_table.hpp"

#include <algorithm>
#include <fmt/format.h>

#include "scene/format/tables.hpp"
#include "scene/settings.hpp"

namespace cairn::scene {
namespace {

// Bars would end a cell.
std::string cell(std::string text) {
  for (std::size_t i = 0; (i = text.find('|', i)) != std::string::npos; i += 2)
    text.insert(i, "\\");
  return text;
}

// Visitor of describe().
struct OptionRows {
  std::string text;

  void add(const char* key, const std::string& standard, const std::string& allowed,
           const char* unit, const char* meaning) {
    text += fmt::format("| `{}` | {} | {} | {} | {} |\n", key, cell(standard), cell(allowed), unit,
                        cell(meaning));
  }
  void number(const char* key, double& value, const Range& range, const char* unit,
              const char* meaning) {
    add(key, fmt::format("{}", value), range_text(range), unit, meaning);
  }
  template <class Integer>
  void integer(const char* key, Integer& value, std::int64_t lo, std::int64_t hi,
               const char* meaning) {
    add(key, fmt::format("{}", value), fmt::format("{} to {}", lo, hi), "-", meaning);
  }
  void boolean(const char* key, bool& value, const char* meaning) {
    add(key, value ? "true" : "false", "true, false", "-", meaning);
  }
  template <class Enum>
  void choice(const char* key, Enum& value, Names names, const char* meaning) {
    std::string allowed;
    for (const char* name : names)
      allowed += (allowed.empty() ? "`" : ", `") + std::string(name) + "`";
    add(key, "`" + std::string(names[static_cast<std::size_t>(value)]) + "`", allowed, "-",
        meaning);
  }
};

std::string option_header(const std::string& title) {
  return title + "\n\n| option | default | allowed | unit | meaning |\n|---|---|---|---|---|\n";
}

template <class Variant>
std::string option_tables(const std::string& what) {
  std::string text;
  for_each_alternative<Variant>([&](auto options) {
    OptionRows rows;
    describe(rows, options);
    text += option_header(fmt::format("{} `{}`", what, option_type(options))) + rows.text + "\n";
  });
  return text;
}

std::string rows_of(const FieldTable& table) {
  std::string text = "| field | default | unit | meaning |\n|---|---|---|---|\n";
  for (const Field& field : table.fields) {
    if (std::string_view(field.key) == "type") continue;
    const std::string standard = field.standard ? fmt::format("`{}`", field.standard) : "required";
    text += fmt::format("| `{}` | {} | {} | {} |\n", field.key, standard,
                        *field.unit ? field.unit : "-", cell(field.text));
  }
  return text + "\n";
}

std::string rows_of(const TypedTables& tables, const std::string& what) {
  std::string text;
  for (const FieldTable& table : tables)
    text += fmt::format("{} `{}`\n\n{}", what, table.name, rows_of(table));
  return text;
}

}  // namespace

std::string option_table() {
  OptionRows verdict;
  VerdictOptions limits;
  describe(verdict, limits);
  OptionRows forces;
  ForceOptions shown;
  describe(forces, shown);
  OptionRows record;
  RecordOptions recording;
  describe(record, recording);
  return option_tables<SchemeOptions>("Scheme") + option_tables<SolverOptions>("Solver") +
         option_header("Verdict") + verdict.text + "\n" + option_header("Forces") + forces.text +
         "\n" + option_header("Recording") + record.text + "\n";
}

std::string field_table() {
  std::string text;
  text += "### Scene\n\n" + rows_of(scene_fields());
  text += "### Material\n\n" + rows_of(material_fields());
  text += "### Body\n\n" + rows_of(body_fields());
  text += "### Motion\n\n" + rows_of(motion_fields());
  text += "### Shapes\n\n" + rows_of(shape_tables(), "Shape");
  for (const FieldTable& table : visual_tables())
    if (std::string_view(table.name) == "mesh")
      text +=
          "### Visual shapes\n\nThe shapes above without `material`, with `color`, and\n\nVisual "
          "`mesh`\n\n" +
          rows_of(table);
  text += "### Drawn mesh\n\n" + rows_of(drawn_mesh_fields());
  text += "### Joints\n\n" + rows_of(joint_tables(), "Joint");
  text += "### Angle\n\n" + rows_of(angle_fields());
  text += "### Displacement\n\n" + rows_of(displacement_fields());
  text += "### Gear\n\n" + rows_of(gear_fields());
  text += "### Joint of a gear\n\n" + rows_of(gear_term_fields());
  text += "### Motor\n\n" + rows_of(motor_fields());
  text += "### Forces\n\n" + rows_of(force_tables(), "Force");
  text += "### Generators\n\n" + rows_of(generator_tables(), "Generator");
  text += "### Joint of a chain\n\n" + rows_of(chain_joint_tables(), "Joint");
  text += "### Simulation\n\n" + rows_of(simulation_fields());
  text += "### Include\n\n" + rows_of(include_fields());
  text += "### Expectation\n\n" + rows_of(expectation_fields());
  return text;
}

}  // namespace cairn::scene
