// ReducedProblem: w = W lambda + q, from a file or from arrays.
#include "cairn/reduced.hpp"

#include <fmt/format.h>
#include <pybind11/stl.h>

#include "base/suggestion.hpp"
#include "module/arrays.hpp"
#include "module/errors.hpp"
#include "module/problems/entries.hpp"
#include "module/problems/problem.hpp"
#include "problem/files/reduced_file.hpp"

namespace cairn::python {
namespace {

using Law = ::cairn::Law;

std::vector<std::string_view> law_names() {
  std::vector<std::string_view> names;
  for (int i = 0; i <= static_cast<int>(Law::disc); ++i)
    names.emplace_back(name(static_cast<Law>(i)));
  return names;
}

Law law_called(const std::string& wanted) {
  const std::vector<std::string_view> known = law_names();
  for (std::size_t i = 0; i < known.size(); ++i)
    if (known[i] == wanted) return static_cast<Law>(i);
  raise({.kind = ErrorKind::usage,
         .code = ErrorCode::unknown_choice,
         .path = "laws",
         .what = "unknown law",
         .got = wanted,
         .allowed = "equality, nonnegative, box, coulomb, coulomb_relaxed",
         .fix = base::did_you_mean(wanted, known, "use one of them")});
}

// From a dense matrix; blocks of zeros off the diagonal are left out.
ReducedProblem reduced_of(const py::object& W, const py::object& q,
                          const std::vector<std::string>& laws, const py::object& rows,
                          const py::object& mu, const py::object& lo, const py::object& hi) {
  const Doubles Q = numbers(q, "q", {any});
  const py::ssize_t n = Q.size();
  const Doubles matrix = numbers(W, "W", {n, n});
  const auto m = static_cast<py::ssize_t>(laws.size());
  const std::vector<int> counts = indices(rows, "rows", max_rows + 1);
  if (static_cast<py::ssize_t>(counts.size()) != m)
    throw py::value_error(
        fmt::format("rows: expected one number a law, {}, got {}", m, counts.size()));
  const Doubles friction = numbers(mu, "mu", {m});
  const Doubles low = bounds(lo, "lo", {m}), high = bounds(hi, "hi", {m});

  ReducedProblem p;
  p.q = Eigen::Map<const VecX>(Q.data(), n);
  p.first_row.push_back(0);
  for (py::ssize_t i = 0; i < m; ++i) {
    const auto k = static_cast<std::size_t>(i);
    ReducedConstraint c;
    c.law = law_called(laws[k]);
    c.rows = counts[k];
    c.mu = friction.data()[i];
    c.lo = low.data()[i];
    c.hi = high.data()[i];
    const bool one = c.law == Law::nonnegative || c.law == Law::box;
    const bool rows_fit = has_cone(c.law) ? c.rows == 2 || c.rows == 3
                          : one           ? c.rows == 1
                                          : c.rows >= 1;
    if (c.law == Law::disc)
      throw py::value_error(
          "laws: 'disc' is tied to a normal impulse, which reduced problems do not know");
    if (!rows_fit)
      throw py::value_error(fmt::format("rows: law '{}' cannot have {} rows", laws[k], c.rows));
    if (!(c.mu >= 0))
      throw py::value_error(fmt::format("mu: element {} is {}, it cannot be negative", i, c.mu));
    if (c.law == Law::box && !(c.lo <= c.hi))
      throw py::value_error(fmt::format("lo, hi: element {}: lo is above hi", i));
    p.constraints.push_back(c);
    p.first_row.push_back(p.first_row.back() + c.rows);
    p.names.push_back(fmt::format("constraint {}", i));
  }
  if (p.first_row.back() != n)
    throw py::value_error(fmt::format("rows: they add up to {}, q has {}", p.first_row.back(), n));
  for (std::size_t i = 0; i < p.constraints.size(); ++i) {
    p.first_block.push_back(static_cast<int>(p.blocks.size()));
    for (std::size_t j = 0; j < p.constraints.size(); ++j) {
      ReducedProblem::Block block{.column = static_cast<int>(j)};
      bool zero = i != j;
      for (int r = 0; r < p.constraints[i].rows; ++r)
        for (int c = 0; c < p.constraints[j].rows; ++c) {
          block.value[r][c] = matrix.at(p.first_row[i] + r, p.first_row[j] + c);
          zero = zero && block.value[r][c] == 0;
        }
      if (!zero) p.blocks.push_back(block);
    }
  }
  p.first_block.push_back(static_cast<int>(p.blocks.size()));
  return p;
}

py::array constraint_rows(const ReducedProblem& p) {
  std::vector<ConstraintRow> rows;
  for (std::size_t i = 0; i < p.constraints.size(); ++i) {
    const ReducedConstraint& c = p.constraints[i];
    rows.push_back({static_cast<std::uint8_t>(c.law), c.rows, p.first_row[i], -1, -1, c.facets, -1,
                    c.mu, c.lo, c.hi});
  }
  return moved(std::move(rows));
}

py::array_t<std::int64_t> first_rows(const std::vector<int>& first) {
  return moved(std::vector<std::int64_t>(first.begin(), first.end()));
}

}  // namespace

void bind_reduced(py::module_& m) {
  using R = ReducedProblem;
  py::class_<R, std::shared_ptr<R>>(
      m, "ReducedProblem", "w = W lambda + q and a law between w and lambda for each constraint.")
      .def_static("_make",
                  [](const py::object& W, const py::object& q, const std::vector<std::string>& laws,
                     const py::object& rows, const py::object& mu, const py::object& lo,
                     const py::object& hi) {
                    return std::make_shared<R>(reduced_of(W, q, laws, rows, mu, lo, hi));
                  })
      .def_property_readonly(
          "rows", [](const R& p) { return p.rows(); }, "Length of lambda and w.")
      .def_property_readonly(
          "q", [](const R& p) { return copied(p.q); }, "(rows,)")
      .def_property_readonly(
          "W",
          [](const R& p) {
            return dense(p.rows(), p.rows(), "W_coo", [&](auto add) { each_of_W(p, add); });
          },
          "Dense (rows, rows).")
      .def(
          "W_coo", [](const R& p) { return triplets([&](auto add) { each_of_W(p, add); }); },
          "(values, (rows, columns)), as scipy.sparse.coo_array takes them.")
      .def_property_readonly(
          "constraints", [](const R& p) { return constraint_rows(p); },
          "Structured array: law (cairn.LAWS), rows, first_row, mu, lo, hi; no bodies.")
      .def_property_readonly(
          "first_rows", [](const R& p) { return first_rows(p.first_row); }, "(constraints + 1,)")
      .def(
          "certify",
          [](const R& p, const py::object& impulses) {
            const Doubles L = numbers(impulses, "impulses", {p.rows()});
            return certificate_of(certify(p, Eigen::Map<const VecX>(L.data(), L.size())));
          },
          py::arg("impulses"), "Residuals of an answer, judged from the problem alone.")
      .def("to_json", [](const R& p) { return problem::reduced_text(p); })
      .def("_solve", solve_reduced)
      .def("__repr__", [](const R& p) {
        return fmt::format("<cairn.ReducedProblem: {} constraints, {} rows>", p.constraints.size(),
                           p.rows());
      });

  py::list laws;
  for (const std::string_view law : law_names()) laws.append(py::str(law.data(), law.size()));
  m.attr("LAWS") = py::tuple(laws);
}

}  // namespace cairn::python
