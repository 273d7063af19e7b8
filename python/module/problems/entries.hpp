// Entries of the matrices of a problem one by one, and the two forms in which Python gets them.
#pragma once

#include <fmt/format.h>
#include <pybind11/numpy.h>
#include <vector>

#include "cairn/reduced.hpp"
#include "module/arrays.hpp"

namespace cairn::python {

constexpr py::ssize_t most_dense = 10000;  // rows or columns of a dense matrix

template <class Add>
void each_of_J(const Problem& p, Add add) {
  for (std::size_t i = 0; i < p.constraints.size(); ++i) {
    const Constraint& c = p.constraints[i];
    for (std::size_t side = 0; side < 2; ++side) {
      if (c.body[side] < 0) continue;
      const ProblemBody& body = p.bodies[static_cast<std::size_t>(c.body[side])];
      for (int r = 0; r < c.rows; ++r)
        for (int k = 0; k < body.size; ++k)
          add(p.first_row[i] + r, body.first + k, c.J[side][r][k]);
    }
  }
}

template <class Add>
void each_of_A(const Problem& p, Add add) {
  for (const ProblemBody& body : p.bodies)
    for (int r = 0; r < body.size; ++r)
      for (int k = 0; k < body.size; ++k) add(body.first + r, body.first + k, body.A[r][k]);
  for (const BodyCoupling& c : p.couplings) {
    const ProblemBody& a = p.bodies[static_cast<std::size_t>(c.body[0])];
    const ProblemBody& b = p.bodies[static_cast<std::size_t>(c.body[1])];
    for (int r = 0; r < a.size; ++r)
      for (int k = 0; k < b.size; ++k) {
        add(a.first + r, b.first + k, c.A[0][r][k]);
        add(b.first + k, a.first + r, c.A[1][k][r]);
      }
  }
}

template <class Add>
void each_of_W(const ReducedProblem& p, Add add) {
  for (std::size_t i = 0; i < p.constraints.size(); ++i)
    for (int b = p.first_block[i]; b < p.first_block[i + 1]; ++b) {
      const ReducedProblem::Block& block = p.blocks[static_cast<std::size_t>(b)];
      const auto j = static_cast<std::size_t>(block.column);
      for (int r = 0; r < p.constraints[i].rows; ++r)
        for (int k = 0; k < p.constraints[j].rows; ++k)
          add(p.first_row[i] + r, p.first_row[j] + k, block.value[r][k]);
    }
}

template <class Each>
py::array dense(py::ssize_t rows, py::ssize_t columns, const char* coo, Each each) {
  if (rows > most_dense || columns > most_dense)
    throw py::value_error(
        fmt::format("a dense matrix of {} x {} is too large: use {}()", rows, columns, coo));
  std::vector<double> out(static_cast<std::size_t>(rows * columns));
  each([&](int r, int c, double x) { out[static_cast<std::size_t>(r * columns + c)] += x; });
  return moved(std::move(out), {rows, columns});
}

struct Triplets {
  std::vector<std::int64_t> row, column;
  std::vector<double> value;

  void add(int r, int c, double x) {
    row.push_back(r);
    column.push_back(c);
    value.push_back(x);
  }
  py::tuple take() {
    return py::make_tuple(moved(std::move(value)),
                          py::make_tuple(moved(std::move(row)), moved(std::move(column))));
  }
};

template <class Each>
py::tuple triplets(Each each) {
  Triplets out;
  each([&](int r, int c, double x) {
    if (x != 0) out.add(r, c, x);
  });
  return out.take();
}

}  // namespace cairn::python
