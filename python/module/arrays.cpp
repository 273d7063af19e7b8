// Checks of numbers from Python.
#include "module/arrays.hpp"

#include <cmath>
#include <fmt/format.h>

namespace cairn::python {
namespace {

std::string text(const Extents& shape) {
  std::string out = "(";
  for (std::size_t i = 0; i < shape.size(); ++i)
    out += (i > 0 ? ", " : "") + (shape[i] == any ? std::string("n") : std::to_string(shape[i]));
  return out + (shape.size() == 1 ? ",)" : ")");
}

Extents extents(const py::array& array) {
  return {array.shape(), array.shape() + array.ndim()};
}

bool fits(const py::array& array, const Extents& shape) {
  if (array.ndim() != static_cast<py::ssize_t>(shape.size())) return false;
  for (std::size_t i = 0; i < shape.size(); ++i)
    if (shape[i] != any && array.shape(static_cast<py::ssize_t>(i)) != shape[i]) return false;
  return true;
}

std::string type_of(const py::handle& value) {
  return py::str(py::type::handle_of(value).attr("__name__"));
}

// What NumPy makes of a value; nothing where it makes nothing of it.
py::array as_array(const py::handle& value, const std::string& what, const char* kinds,
                   const char* wanted) {
  py::array array = py::array::ensure(value);
  if (!array) {
    PyErr_Clear();
    throw py::type_error(fmt::format("{}: expected {}, got {}", what, wanted, type_of(value)));
  }
  if (array.size() > 0 && std::string(kinds).find(array.dtype().kind()) == std::string::npos)
    throw py::type_error(fmt::format("{}: expected {}, got {} of dtype {}", what, wanted,
                                     type_of(value), std::string(py::str(array.dtype()))));
  return array;
}

}  // namespace

Doubles bounds(const py::handle& value, const std::string& what, const Extents& shape) {
  const py::array given = as_array(value, what, "fiu", "real numbers");
  if (!fits(given, shape))
    throw py::value_error(fmt::format("{}: expected an array of shape {}, got {}", what,
                                      text(shape), text(extents(given))));
  Doubles array = Doubles::ensure(given);
  if (!array) throw py::error_already_set();
  const double* x = array.data();
  for (py::ssize_t i = 0; i < array.size(); ++i)
    if (std::isnan(x[i])) throw py::value_error(fmt::format("{}: element {} is nan", what, i));
  return array;
}

Doubles numbers(const py::handle& value, const std::string& what, const Extents& shape) {
  Doubles array = bounds(value, what, shape);
  const double* x = array.data();
  for (py::ssize_t i = 0; i < array.size(); ++i)
    if (std::isinf(x[i]))
      throw py::value_error(fmt::format("{}: element {} is {}, not finite", what, i, x[i]));
  return array;
}

Vec3 vector3(const py::handle& value, const std::string& what) {
  const Doubles array = numbers(value, what, {3});
  return Vec3(array.data());
}

double number(const py::handle& value, const std::string& what) {
  return *numbers(value, what, {}).data();
}

std::vector<int> indices(const py::handle& value, const std::string& what, py::ssize_t count) {
  const py::array given = as_array(value, what, "iu", "whole numbers");
  if (!fits(given, {any}))
    throw py::value_error(
        fmt::format("{}: expected an array of shape (n,), got {}", what, text(extents(given))));
  const auto array =
      py::array_t<std::int64_t, py::array::c_style | py::array::forcecast>::ensure(given);
  if (!array) throw py::error_already_set();
  std::vector<int> out;
  for (py::ssize_t i = 0; i < array.size(); ++i) {
    const std::int64_t k = array.data()[i];
    if (k < 0 || k >= count)
      throw py::index_error(fmt::format("{}: index {} is not in 0 to {}", what, k, count - 1));
    out.push_back(static_cast<int>(k));
  }
  return out;
}

py::array copied(const double* data, const Extents& shape) {
  return py::array_t<double>(shape, data);
}

py::array copied(const Quat& q) {
  const double wxyz[] = {q.w(), q.x(), q.y(), q.z()};
  return copied(wxyz, {4});
}

}  // namespace cairn::python
