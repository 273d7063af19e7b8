// Between NumPy and the engine: numbers that come in are checked, arrays that go out keep alive
// what they look at.
#pragma once

#include <memory>
#include <pybind11/numpy.h>
#include <pybind11/pybind11.h>
#include <string>
#include <vector>

#include "cairn/math.hpp"

namespace cairn::python {

namespace py = pybind11;

using Doubles = py::array_t<double, py::array::c_style | py::array::forcecast>;
using Extents = std::vector<py::ssize_t>;

// pybind11 takes None for an empty pointer.
template <class T>
const std::shared_ptr<T>& required(const std::shared_ptr<T>& object) {
  if (!object) throw py::type_error("expected an object, got None");
  return object;
}

// A size that may be anything.
constexpr py::ssize_t any = -1;

// Finite numbers of the given shape. Throws TypeError for what is no array of real numbers and
// ValueError for another shape and for NaN or infinity; messages begin with `what`.
Doubles numbers(const py::handle& value, const std::string& what, const Extents& shape);
// The same with infinite ones.
Doubles bounds(const py::handle& value, const std::string& what, const Extents& shape);
Vec3 vector3(const py::handle& value, const std::string& what);
double number(const py::handle& value, const std::string& what);

// The same for indices in [0, count).
std::vector<int> indices(const py::handle& value, const std::string& what, py::ssize_t count);

// An array of doubles that looks at memory of `owner` and keeps it alive.
template <class Owner>
py::array view(const std::shared_ptr<Owner>& owner, const double* data, const Extents& shape,
               const Extents& strides, bool writable) {
  py::capsule keeper(new std::shared_ptr<const void>(owner),
                     [](void* p) { delete static_cast<std::shared_ptr<const void>*>(p); });
  py::array_t<double> array(shape, strides, data, keeper);
  if (!writable) array.attr("flags").attr("writeable") = false;
  return array;
}

// An array that owns a copy.
py::array copied(const double* data, const Extents& shape);
inline py::array copied(const Vec3& x) {
  return copied(x.data(), {3});
}
inline py::array copied(const VecX& x) {
  return copied(x.data(), {static_cast<py::ssize_t>(x.size())});
}
// Scalar first.
py::array copied(const Quat& q);

// An array that owns the memory of a vector, of the given shape.
template <class T>
py::array_t<T> moved(std::vector<T>&& values, const Extents& shape) {
  auto owner = std::make_unique<std::vector<T>>(std::move(values));
  T* data = owner->data();
  py::capsule keeper(owner.release(), [](void* p) { delete static_cast<std::vector<T>*>(p); });
  return py::array_t<T>(shape, data, keeper);
}
template <class T>
py::array_t<T> moved(std::vector<T>&& values) {
  const auto size = static_cast<py::ssize_t>(values.size());
  return moved(std::move(values), {size});
}

}  // namespace cairn::python
