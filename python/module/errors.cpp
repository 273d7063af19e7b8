// Translates errors; finds bodies and joints by name or number.
#include "module/errors.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <pybind11/stl.h>
#include <vector>

#include "base/suggestion.hpp"

namespace cairn::python {
namespace {

const char* kind_of(ErrorKind kind) {
  static constexpr const char* names[] = {"input", "usage", "io", "limit", "stopped", "internal"};
  return names[static_cast<std::size_t>(kind)];
}

py::list as_list(const Errors& errors) {
  py::list list;
  for (const Error& e : errors) {
    py::dict d;
    d["kind"] = kind_of(e.kind);
    d["code"] = py::str(code_name(e.code).data(), code_name(e.code).size());
    d["file"] = e.file;
    d["line"] = e.line;
    d["column"] = e.column;
    d["field"] = e.path;
    d["what"] = e.what;
    d["value"] = e.got;
    d["allowed"] = e.allowed;
    d["remedy"] = e.fix;
    d["text"] = e.text();
    list.append(d);
  }
  return list;
}

// An index or the position of a name among the names of the things of a model.
template <class Things>
int find_named(const Things& things, const py::handle& wanted, const char* kind) {
  if (py::isinstance<py::str>(wanted)) {
    const auto name = wanted.cast<std::string>();
    const auto found =
        std::find_if(things.begin(), things.end(), [&](const auto& t) { return t.name == name; });
    if (found != things.end()) return static_cast<int>(found - things.begin());
    std::vector<std::string_view> known;
    std::string allowed;
    constexpr std::size_t most = 20;
    for (const auto& thing : things) {
      if (known.size() < most) allowed += (known.empty() ? "" : ", ") + thing.name;
      known.emplace_back(thing.name);
    }
    if (known.size() > most) allowed += fmt::format(" and {} more", known.size() - most);
    raise({.kind = ErrorKind::usage,
           .code = ErrorCode::unknown_name,
           .what = fmt::format("unknown {}", kind),
           .got = name,
           .allowed = allowed,
           .fix = base::did_you_mean(name, known, fmt::format("name a {} of the model", kind))});
  }
  const py::object index = py::reinterpret_steal<py::object>(PyNumber_Index(wanted.ptr()));
  if (!index) {
    PyErr_Clear();
    throw py::type_error(
        fmt::format("{}: expected a name or a number, got {}", kind,
                    std::string(py::str(py::type::handle_of(wanted).attr("__name__")))));
  }
  const Py_ssize_t i = PyNumber_AsSsize_t(index.ptr(), nullptr);  // clipped
  if (i < 0 || i >= static_cast<Py_ssize_t>(things.size()))
    throw py::index_error(
        fmt::format("{} {} is not in 0 to {}", kind, i, static_cast<long>(things.size()) - 1));
  return static_cast<int>(i);
}

}  // namespace

void raise(Error error) {
  throw Failure{{std::move(error)}};
}

void set_python_error(const char* type, const py::object& argument) {
  try {
    const py::module_ errors = py::module_::import("cairn._errors");
    const py::object made = errors.attr("make")(type, argument);
    PyErr_SetObject(reinterpret_cast<PyObject*>(Py_TYPE(made.ptr())), made.ptr());
  } catch (py::error_already_set& other) {
    other.restore();
  }
}

BodyId find_body(const Model& model, const py::handle& body) {
  return static_cast<BodyId>(find_named(model.bodies, body, "body"));
}

JointId find_joint(const Model& model, const py::handle& joint) {
  return static_cast<JointId>(find_named(model.joints, joint, "joint"));
}

void bind_errors(py::module_& m) {
  py::register_exception_translator([](std::exception_ptr p) {
    try {
      if (p) std::rethrow_exception(p);
    } catch (const Failure& failure) {
      set_python_error("Error", as_list(failure.errors));
    } catch (const InternalError& fault) {
      set_python_error("InternalError", py::str(fault.what()));
    }
  });
  // Names of schemes, options and keys: the nearest known one.
  m.def(
      "did_you_mean",
      [](const std::string& name, const std::vector<std::string>& known) {
        const std::vector<std::string_view> views(known.begin(), known.end());
        return base::did_you_mean(name, views);
      },
      py::arg("name"), py::arg("known"), "'did you mean ...?', or nothing where no name is near.");
}

}  // namespace cairn::python
