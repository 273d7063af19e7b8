// Problem: A v = k + J^T lambda, w = J v + b with its laws, as arrays; files of problems.
#include "module/problems/problem.hpp"

#include <cmath>
#include <fmt/format.h>
#include <pybind11/stl.h>

#include "module/arrays.hpp"
#include "module/errors.hpp"
#include "module/problems/entries.hpp"
#include "problem/files/problem_file.hpp"
#include "problem/files/problem_formats.hpp"

namespace cairn::python {

SolvedProblem::SolvedProblem(Problem p) : problem(std::move(p)), names(problem.names) {}

SolvedProblem::SolvedProblem(Problem p, Solution s, const Model& model)
    : problem(std::move(p)), solution(std::move(s)) {
  for (std::size_t i = 0; i < problem.constraints.size(); ++i)
    names.push_back(constraint_name(model, problem, static_cast<int>(i)));
}

namespace {

py::array constraint_rows(const Problem& p) {
  std::vector<ConstraintRow> rows;
  for (std::size_t i = 0; i < p.constraints.size(); ++i) {
    const Constraint& c = p.constraints[i];
    rows.push_back({static_cast<std::uint8_t>(c.law), c.rows, p.first_row[i], c.body[0], c.body[1],
                    c.facets, c.tie, c.mu, c.lo, c.hi});
  }
  return moved(std::move(rows));
}

py::array b_of(const Problem& p) {
  std::vector<double> b;
  for (const Constraint& c : p.constraints) b.insert(b.end(), c.b, c.b + c.rows);
  return moved(std::move(b));
}

py::object wrapped(problem::AnyProblem&& problem) {
  if (auto* whole = std::get_if<Problem>(&problem))
    return py::cast(std::make_shared<SolvedProblem>(std::move(*whole)));
  return py::cast(std::make_shared<ReducedProblem>(std::move(std::get<ReducedProblem>(problem))));
}

std::string text_of(const SolvedProblem& p) {
  return problem::problem_text(p.problem, p.names);
}

}  // namespace

void bind_problem(py::module_& m) {
  PYBIND11_NUMPY_DTYPE(ConstraintRow, law, rows, first_row, body_a, body_b, facets, tie, mu, lo,
                       hi);
  using P = SolvedProblem;
  py::class_<P, std::shared_ptr<P>>(
      m, "Problem",
      R"(A v = k + J^T lambda, w = J v + b, and a law between w and lambda for each constraint.

From a step (Report.problems), a file (cairn.load_problem) or a dict (Problem.from_dict). Numbers are in `units`. Arrays are
copies.)")
      .def_property_readonly(
          "nv", [](const P& p) { return p.problem.velocities(); }, "Length of v.")
      .def_property_readonly(
          "rows", [](const P& p) { return p.problem.rows(); }, "Length of lambda and w.")
      .def_property_readonly(
          "units",
          [](const P& p) {
            py::dict d;
            d["mass"] = p.problem.units.mass;
            d["length"] = p.problem.units.length;
            d["time"] = p.problem.units.time;
            return d;
          },
          "In kg, m, s.")
      .def_property_readonly(
          "k", [](const P& p) { return copied(p.problem.k); }, "(nv,)")
      .def_property_readonly(
          "b", [](const P& p) { return b_of(p.problem); }, "(rows,)")
      .def_property_readonly(
          "A",
          [](const P& p) {
            return dense(p.problem.velocities(), p.problem.velocities(), "A_coo",
                         [&](auto add) { each_of_A(p.problem, add); });
          },
          "Mass-like matrix, dense (nv, nv).")
      .def_property_readonly(
          "J",
          [](const P& p) {
            return dense(p.problem.rows(), p.problem.velocities(), "J_coo",
                         [&](auto add) { each_of_J(p.problem, add); });
          },
          "Dense (rows, nv).")
      .def(
          "A_coo",
          [](const P& p) { return triplets([&](auto add) { each_of_A(p.problem, add); }); },
          "(values, (rows, columns)), as scipy.sparse.coo_array takes them.")
      .def(
          "J_coo",
          [](const P& p) { return triplets([&](auto add) { each_of_J(p.problem, add); }); },
          "(values, (rows, columns)), as scipy.sparse.coo_array takes them.")
      .def_property_readonly(
          "constraints", [](const P& p) { return constraint_rows(p.problem); },
          "Structured array: law (cairn.LAWS), rows, first_row, body_a, body_b, facets, tie, mu, "
          "lo, hi.")
      .def_property_readonly(
          "names", [](const P& p) { return p.names; }, "Of the constraints.")
      .def_property_readonly(
          "solution",
          [](const P& p) -> py::object {
            if (!p.solution) return py::none();
            return py::cast(answer_of(p.problem, *p.solution, std::nan("")));
          },
          "That of the step the problem comes from, or None.")
      .def(
          "certify",
          [](const P& p, const py::object& v, const py::object& impulses) {
            const Doubles V = numbers(v, "v", {p.problem.velocities()});
            const Doubles L = numbers(impulses, "impulses", {p.problem.rows()});
            return certificate_of(certify(p.problem, Eigen::Map<const VecX>(V.data(), V.size()),
                                          Eigen::Map<const VecX>(L.data(), L.size())));
          },
          py::arg("v"), py::arg("impulses"),
          "Residuals of an answer, judged from the problem alone.")
      .def(
          "reduced", [](const P& p) { return std::make_shared<ReducedProblem>(reduce(p.problem)); },
          "The constraints' view w = W lambda + q, by elimination of the velocities.")
      .def("to_json", text_of)
      .def("_solve", [](const P& p, const std::string& options,
                        const py::object& warm) { return solve_whole(p.problem, options, warm); })
      .def(py::pickle([](const P& p) { return py::make_tuple(text_of(p)); },
                      [](const py::tuple& t) {
                        if (t.size() != 1) throw py::value_error("not a pickled cairn.Problem");
                        return std::make_shared<P>(
                            value_of(problem::parse_problem(t[0].cast<std::string>(), "pickle")));
                      }))
      .def("__repr__", [](const P& p) {
        return fmt::format("<cairn.Problem: {} velocities, {} constraints, {} rows>",
                           p.problem.velocities(), p.problem.constraints.size(), p.problem.rows());
      });

  m.def("_read_problem", [](const std::string& path) {
    return wrapped(value_of(problem::read_any_problem(path)).problem);
  });
  m.def("_parse_problem", [](const std::string& text, const std::string& name) {
    return wrapped(value_of(problem::parse_any_problem(text, name)).problem);
  });
  m.def("_write_problem", [](const SolvedProblem& p, const std::string& path) {
    Problem named = p.problem;
    value_of(problem::write_problem(named, p.names, path));
  });
}

}  // namespace cairn::python
