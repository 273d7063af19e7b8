// The options of schemes, solvers and verdict as tables, from their one description
// (cairn/options.hpp).
#include "cairn/options.hpp"

#include "module/scene.hpp"
#include "scene/settings.hpp"

namespace cairn::python {
namespace {

// Visitor of describe(): one dict an option, by key.
struct OptionTable {
  py::dict rows;

  py::dict add(const char* key, const char* type, const py::object& value, const char* text) {
    py::dict row;
    row["type"] = type;
    row["default"] = value;
    row["text"] = text;
    rows[key] = row;
    return row;
  }
  void number(const char* key, double& value, const Range& range, const char* unit,
              const char* text) {
    py::dict row = add(key, "number", py::float_(value), text);
    row["unit"] = unit;
    row["range"] = py::make_tuple(range.lo, range.hi);
  }
  template <class Integer>
  void integer(const char* key, Integer& value, std::int64_t lo, std::int64_t hi,
               const char* text) {
    py::dict row = add(key, "integer", py::int_(value), text);
    row["range"] = py::make_tuple(lo, hi);
  }
  void boolean(const char* key, bool& value, const char* text) {
    add(key, "boolean", py::bool_(value), text);
  }
  template <class Enum>
  void choice(const char* key, Enum& value, Names names, const char* text) {
    py::list allowed;
    for (const char* name : names) allowed.append(name);
    py::dict row = add(key, "choice", py::str(names[static_cast<std::size_t>(value)]), text);
    row["allowed"] = allowed;
  }
};

template <class Options>
py::dict table_of(Options options) {
  OptionTable table;
  describe(table, options);
  return table.rows;
}

template <class Variant>
py::dict tables_of() {
  py::dict all;
  scene::for_each_alternative<Variant>(
      [&](auto options) { all[scene::option_type(options)] = table_of(options); });
  return all;
}

}  // namespace

void bind_options(py::module_& m) {
  m.def("option_tables", [] {
    py::dict all;
    all["scheme"] = tables_of<SchemeOptions>();
    all["solver"] = tables_of<SolverOptions>();
    all["verdict"] = table_of(VerdictOptions{});
    return all;
  });
}

}  // namespace cairn::python
