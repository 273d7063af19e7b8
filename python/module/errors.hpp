// What goes wrong in C++ as Python exceptions.
#pragma once

#include <pybind11/pybind11.h>
#include <span>
#include <string>
#include <string_view>
#include <utility>

#include "cairn/error.hpp"
#include "cairn/model.hpp"

namespace cairn::python {

namespace py = pybind11;

// Becomes cairn.Error.
struct Failure {
  Errors errors;
};

[[noreturn]] void raise(Error error);

template <class T>
T value_of(Result<T>&& result) {
  if (!result) throw Failure{std::move(result.error())};
  return std::move(*result);
}
inline void value_of(Result<void>&& result) {
  if (!result) throw Failure{std::move(result.error())};
}

// By name, or by number; another one raises cairn.Error with the nearest name, or IndexError.
BodyId find_body(const Model& model, const py::handle& body);
JointId find_joint(const Model& model, const py::handle& joint);

// Makes cairn.TYPE of the argument the exception that Python sees.
void set_python_error(const char* type, const py::object& argument);

void bind_errors(py::module_& m);

}  // namespace cairn::python
