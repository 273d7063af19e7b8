// Solves problems of both kinds with any method; the answer is judged by certify().
#include <fmt/format.h>
#include <pybind11/stl.h>

#include "cairn/solver.hpp"
#include "module/arrays.hpp"
#include "module/errors.hpp"
#include "module/problems/entries.hpp"
#include "module/problems/problem.hpp"
#include "module/signals.hpp"
#include "scene/settings.hpp"

namespace cairn::python {
namespace {

// {"type": ..., options} as JSON text, as in a scene.
SolverOptions solver_of(const std::string& text) {
  json::Node node = value_of(json::parse_document(text, "options"));
  const std::vector<std::string> none;
  scene::SceneErrors errors("", none);
  const SimulationSettings settings = scene::read_simulation(node, "", errors);
  if (!errors.ok()) {
    Errors list = errors.take();
    for (Error& error : list) error.line = error.column = 0;
    throw Failure{std::move(list)};
  }
  return settings.solver;
}

VecX relative_velocity(const Problem& p, const VecX& v) {
  VecX w = VecX::Zero(p.rows());
  if (v.size() == p.velocities()) each_of_J(p, [&](int r, int c, double x) { w[r] += x * v[c]; });
  for (std::size_t i = 0; i < p.constraints.size(); ++i)
    for (int r = 0; r < p.constraints[i].rows; ++r) w[p.first_row[i] + r] += p.constraints[i].b[r];
  return w;
}

VecX start_of(const py::object& warm, int rows) {
  if (warm.is_none()) return {};
  const Doubles lambda = numbers(warm, "warm", {rows});
  return Eigen::Map<const VecX>(lambda.data(), rows);
}

py::list attempts_of(const Answer& a) {
  py::list list;
  for (const SolveAttempt& t : a.attempts) {
    py::dict d;
    d["method"] = t.method;
    d["island"] = t.island;
    d["iterations"] = t.iterations;
    d["before"] = t.before;
    d["after"] = t.after;
    d["work"] = t.work;
    list.append(d);
  }
  return list;
}

}  // namespace

py::dict certificate_of(const Certificate& c) {
  py::dict d;
  d["momentum"] = c.momentum;
  d["equality"] = c.equality;
  d["gap_velocity"] = c.gap_velocity;
  d["normal_impulse"] = c.normal_impulse;
  d["complementarity"] = c.complementarity;
  d["cone"] = c.cone;
  d["natural_map"] = c.natural_map;
  d["worst"] = c.worst;
  d["worst_constraint"] = c.worst_constraint;
  d["finite"] = c.finite;
  return d;
}

Answer answer_of(const Problem& p, const Solution& s, double tol) {
  return {s.v,      s.lambda,      relative_velocity(p, s.v),
          s.status, s.certificate, s.iterations,
          s.method, s.message,     s.work,
          tol,      s.attempts};
}

Answer solve_whole(const Problem& p, const std::string& options, const py::object& warm) {
  const SolverOptions solver = solver_of(options);
  value_of(accepts(solver, p));
  Solution solution;
  solution.lambda = start_of(warm, p.rows());
  Signals signals;
  const Computation computation;
  {
    const py::gil_scoped_release released;
    SolverWorkspace workspace;
    workspace.set_interrupt({&Signals::asked, &signals});
    solve(p, solver, workspace, solution);
  }
  signals.rethrow();
  return answer_of(p, solution, tolerance(solver));
}

Answer solve_reduced(const ReducedProblem& p, const std::string& options, const py::object& warm) {
  const SolverOptions solver = solver_of(options);
  value_of(accepts(solver, p));
  ReducedSolution s;
  s.lambda = start_of(warm, p.rows());
  Signals signals;
  const Computation computation;
  {
    const py::gil_scoped_release released;
    solve(p, solver, s, {&Signals::asked, &signals});
  }
  signals.rethrow();
  return {{}, s.lambda,          s.w, s.status, s.certificate, s.iterations, s.method, s.message,
          0,  tolerance(solver), {}};
}

void bind_solution(py::module_& m) {
  py::class_<Answer>(m, "Solution",
                     "The answer to a problem and the judgement on it. Arrays are copies.")
      .def_property_readonly(
          "v", [](const Answer& a) { return copied(a.v); },
          "Velocities, (nv,), in the units of the problem; empty for a reduced problem.")
      .def_property_readonly(
          "impulses", [](const Answer& a) { return copied(a.lambda); },
          "lambda, (rows,), in the units of the problem.")
      .def_property_readonly(
          "w", [](const Answer& a) { return copied(a.w); },
          "Relative velocities w, (rows,), likewise.")
      .def_property_readonly("status", [](const Answer& a) { return name(a.status); })
      .def_property_readonly(
          "certified", [](const Answer& a) { return a.certificate.within(a.tolerance); },
          "The worst residual is at or below the tolerance.")
      .def_property_readonly(
          "residual", [](const Answer& a) { return a.certificate.worst; }, "The worst, scaled.")
      .def_property_readonly("tolerance", [](const Answer& a) { return a.tolerance; })
      .def_property_readonly(
          "certificate", [](const Answer& a) { return certificate_of(a.certificate); },
          "All scaled residuals and the constraint with the worst.")
      .def_property_readonly("iterations", [](const Answer& a) { return a.iterations; })
      .def_property_readonly("method", [](const Answer& a) { return a.method; })
      .def_property_readonly("message", [](const Answer& a) { return a.message; })
      .def_property_readonly(
          "work", [](const Answer& a) { return a.work; }, "Products of 6 x 6 blocks.")
      .def_property_readonly("attempts", attempts_of, "Methods that were tried, in order.")
      .def("__repr__", [](const Answer& a) {
        return fmt::format("<cairn.Solution: {}, residual {:.2e}, {} iterations of {}>",
                           a.certificate.within(a.tolerance) ? "certified" : "NOT CERTIFIED",
                           a.certificate.worst, a.iterations, a.method);
      });
}

}  // namespace cairn::python
