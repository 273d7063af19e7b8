// Problem and ReducedProblem as arrays; solve() with any method; Solution with its certificate.
#include "module/problem.hpp"

#include <fmt/format.h>
#include <pybind11/stl.h>

#include <cmath>

#include "base/suggestion.hpp"
#include "cairn/solver.hpp"
#include "module/arrays.hpp"
#include "module/errors.hpp"
#include "module/signals.hpp"
#include "problem/files/problem_file.hpp"
#include "problem/files/problem_formats.hpp"
#include "problem/files/reduced_file.hpp"
#include "scene/settings.hpp"

namespace cairn::python {

SolvedProblem::SolvedProblem(Problem p) : problem(std::move(p)), names(problem.names) {}

SolvedProblem::SolvedProblem(Problem p, Solution s, const Model& model)
    : problem(std::move(p)), solution(std::move(s)) {
  for (std::size_t i = 0; i < problem.constraints.size(); ++i)
    names.push_back(constraint_name(model, problem, static_cast<int>(i)));
}

namespace {

constexpr py::ssize_t most_dense = 20000;  // rows or columns of a dense matrix

using Law = ::cairn::Law;

struct ConstraintRow {
  std::uint8_t law;
  std::int32_t rows, first_row, body_a, body_b, facets, tie;
  double mu, lo, hi;
};

struct Triplets {
  std::vector<std::int64_t> row, column;
  std::vector<double> value;

  void add(int r, int c, double x) {
    row.push_back(r);
    column.push_back(c);
    value.push_back(x);
  }
  py::tuple take() { return py::make_tuple(moved(std::move(value)), py::make_tuple(moved(std::move(row)), moved(std::move(column)))); }
};

template <class Add>
void each_of_J(const Problem& p, Add add) {
  for (std::size_t i = 0; i < p.constraints.size(); ++i) {
    const Constraint& c = p.constraints[i];
    for (std::size_t side = 0; side < 2; ++side) {
      if (c.body[side] < 0) continue;
      const ProblemBody& body = p.bodies[static_cast<std::size_t>(c.body[side])];
      for (int r = 0; r < c.rows; ++r)
        for (int k = 0; k < body.size; ++k) add(p.first_row[i] + r, body.first + k, c.J[side][r][k]);
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
        for (int k = 0; k < p.constraints[j].rows; ++k) add(p.first_row[i] + r, p.first_row[j] + k, block.value[r][k]);
    }
}

template <class Each>
py::array dense(py::ssize_t rows, py::ssize_t columns, const char* coo, Each each) {
  if (rows > most_dense || columns > most_dense)
    throw py::value_error(fmt::format("a dense matrix of {} x {} is too large: use {}()", rows, columns, coo));
  std::vector<double> out(static_cast<std::size_t>(rows * columns));
  each([&](int r, int c, double x) { out[static_cast<std::size_t>(r * columns + c)] += x; });
  return moved(std::move(out), {rows, columns});
}

template <class Each>
py::tuple triplets(Each each) {
  Triplets out;
  each([&](int r, int c, double x) {
    if (x != 0) out.add(r, c, x);
  });
  return out.take();
}

py::array_t<ConstraintRow> constraint_rows(const Problem& p) {
  std::vector<ConstraintRow> rows;
  for (std::size_t i = 0; i < p.constraints.size(); ++i) {
    const Constraint& c = p.constraints[i];
    rows.push_back({static_cast<std::uint8_t>(c.law), c.rows, p.first_row[i], c.body[0], c.body[1], c.facets, c.tie, c.mu,
                    c.lo, c.hi});
  }
  return moved(std::move(rows));
}

py::array_t<ConstraintRow> constraint_rows(const ReducedProblem& p) {
  std::vector<ConstraintRow> rows;
  for (std::size_t i = 0; i < p.constraints.size(); ++i) {
    const ReducedConstraint& c = p.constraints[i];
    rows.push_back({static_cast<std::uint8_t>(c.law), c.rows, p.first_row[i], -1, -1, c.facets, -1, c.mu, c.lo, c.hi});
  }
  return moved(std::move(rows));
}

py::array_t<std::int64_t> first_rows(const std::vector<int>& first) {
  return moved(std::vector<std::int64_t>(first.begin(), first.end()));
}

py::array b_of(const Problem& p) {
  std::vector<double> b;
  for (const Constraint& c : p.constraints) b.insert(b.end(), c.b, c.b + c.rows);
  return moved(std::move(b));
}

std::vector<std::string_view> law_names() {
  std::vector<std::string_view> names;
  for (int i = 0; i <= static_cast<int>(Law::disc); ++i) names.emplace_back(name(static_cast<Law>(i)));
  return names;
}

Law law_called(const std::string& wanted) {
  const std::vector<std::string_view> known = law_names();
  for (std::size_t i = 0; i < known.size(); ++i)
    if (known[i] == wanted) return static_cast<Law>(i);
  raise({.kind = ErrorKind::usage, .code = ErrorCode::unknown_choice, .path = "laws", .what = "unknown law", .got = wanted,
         .allowed = "equality, nonnegative, box, coulomb, coulomb_relaxed",
         .fix = base::did_you_mean(wanted, known, "use one of them")});
}

// From a dense matrix; blocks of zeros off the diagonal are left out.
ReducedProblem reduced_of(const py::object& W, const py::object& q, const std::vector<std::string>& laws,
                          const py::object& rows, const py::object& mu, const py::object& lo, const py::object& hi) {
  const Doubles Q = numbers(q, "q", {any});
  const py::ssize_t n = Q.size();
  const Doubles matrix = numbers(W, "W", {n, n});
  const auto m = static_cast<py::ssize_t>(laws.size());
  const std::vector<int> counts = indices(rows, "rows", max_rows + 1);
  if (static_cast<py::ssize_t>(counts.size()) != m)
    throw py::value_error(fmt::format("rows: expected one number a law, {}, got {}", m, counts.size()));
  const Doubles friction = numbers(mu, "mu", {m});
  const auto bounds = [&](const py::object& value, const char* what) {
    const py::array_t<double, py::array::c_style | py::array::forcecast> array =
        py::array_t<double, py::array::c_style | py::array::forcecast>::ensure(value);
    if (!array || array.ndim() != 1 || array.size() != m) {
      PyErr_Clear();
      throw py::value_error(fmt::format("{}: expected {} numbers", what, m));
    }
    return array;
  };
  const auto low = bounds(lo, "lo"), high = bounds(hi, "hi");

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
    const bool rows_fit = has_cone(c.law) ? c.rows == 2 || c.rows == 3 : one ? c.rows == 1 : c.rows >= 1;
    if (c.law == Law::disc)
      throw py::value_error("laws: 'disc' is tied to a normal impulse, which reduced problems do not know");
    if (!rows_fit) throw py::value_error(fmt::format("rows: law '{}' cannot have {} rows", laws[k], c.rows));
    if (!(c.mu >= 0)) throw py::value_error(fmt::format("mu: element {} is {}, it cannot be negative", i, c.mu));
    if (c.law == Law::box && !(c.lo <= c.hi)) throw py::value_error(fmt::format("lo, hi: element {}: lo is above hi", i));
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

struct Answer {
  VecX v, lambda, w;
  SolveStatus status = SolveStatus::not_certified;
  Certificate certificate;
  int iterations = 0;
  std::string method, message;
  double work = 0, tolerance = 0;
  std::vector<SolveAttempt> attempts;
};

VecX relative_velocity(const Problem& p, const VecX& v) {
  VecX w = VecX::Zero(p.rows());
  if (v.size() == p.velocities()) each_of_J(p, [&](int r, int c, double x) { w[r] += x * v[c]; });
  for (std::size_t i = 0; i < p.constraints.size(); ++i)
    for (int r = 0; r < p.constraints[i].rows; ++r) w[p.first_row[i] + r] += p.constraints[i].b[r];
  return w;
}

Answer answer_of(const Problem& p, const Solution& s, double tol) {
  return {s.v,          s.lambda, relative_velocity(p, s.v), s.status, s.certificate, s.iterations, s.method, s.message, s.work,
          tol,          s.attempts};
}

VecX start_of(const py::object& warm, int rows) {
  if (warm.is_none()) return {};
  const Doubles lambda = numbers(warm, "warm", {rows});
  return Eigen::Map<const VecX>(lambda.data(), rows);
}

Answer solve_whole(const SolvedProblem& p, const std::string& options, const py::object& warm) {
  const SolverOptions solver = solver_of(options);
  value_of(accepts(solver, p.problem));
  Solution solution;
  solution.lambda = start_of(warm, p.problem.rows());
  Signals signals;
  {
    const py::gil_scoped_release released;
    SolverWorkspace workspace;
    workspace.set_interrupt({&Signals::asked, &signals});
    solve(p.problem, solver, workspace, solution);
  }
  signals.rethrow();
  return answer_of(p.problem, solution, tolerance(solver));
}

Answer solve_reduced(const ReducedProblem& p, const std::string& options, const py::object& warm) {
  const SolverOptions solver = solver_of(options);
  value_of(accepts(solver, p));
  ReducedSolution s;
  s.lambda = start_of(warm, p.rows());
  Signals signals;
  {
    const py::gil_scoped_release released;
    solve(p, solver, s, {&Signals::asked, &signals});
  }
  signals.rethrow();
  return {{}, s.lambda, s.w, s.status, s.certificate, s.iterations, s.method, s.message, 0, tolerance(solver), {}};
}

py::object wrapped(problem::AnyProblem&& problem) {
  if (auto* whole = std::get_if<Problem>(&problem)) return py::cast(std::make_shared<SolvedProblem>(std::move(*whole)));
  return py::cast(std::make_shared<ReducedProblem>(std::move(std::get<ReducedProblem>(problem))));
}

std::string text_of(const SolvedProblem& p) {
  return problem::problem_text(p.problem, p.names);
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

void bind_solution(py::module_& m) {
  py::class_<Answer>(m, "Solution", "The answer to a problem and the judgement on it. Arrays are copies.")
      .def_property_readonly("v", [](const Answer& a) { return copied(a.v); },
                             "Velocities, (nv,), in the units of the problem; empty for a reduced problem.")
      .def_property_readonly("impulses", [](const Answer& a) { return copied(a.lambda); },
                             "lambda, (rows,), in the units of the problem.")
      .def_property_readonly("w", [](const Answer& a) { return copied(a.w); }, "Relative velocities w, (rows,), likewise.")
      .def_property_readonly("status", [](const Answer& a) { return name(a.status); })
      .def_property_readonly("certified", [](const Answer& a) { return a.certificate.within(a.tolerance); },
                             "The worst residual is at or below the tolerance.")
      .def_property_readonly("residual", [](const Answer& a) { return a.certificate.worst; }, "The worst, scaled.")
      .def_property_readonly("tolerance", [](const Answer& a) { return a.tolerance; })
      .def_property_readonly("certificate", [](const Answer& a) { return certificate_of(a.certificate); },
                             "All scaled residuals and the constraint with the worst.")
      .def_property_readonly("iterations", [](const Answer& a) { return a.iterations; })
      .def_property_readonly("method", [](const Answer& a) { return a.method; })
      .def_property_readonly("message", [](const Answer& a) { return a.message; })
      .def_property_readonly("work", [](const Answer& a) { return a.work; }, "Products of 6 x 6 blocks.")
      .def_property_readonly("attempts", attempts_of, "Methods that were tried, in order.")
      .def("__repr__", [](const Answer& a) {
        return fmt::format("<cairn.Solution: {}, residual {:.2e}, {} iterations of {}>",
                           a.certificate.within(a.tolerance) ? "certified" : "NOT CERTIFIED", a.certificate.worst,
                           a.iterations, a.method);
      });
}

}  // namespace

void bind_problem(py::module_& m) {
  PYBIND11_NUMPY_DTYPE(ConstraintRow, law, rows, first_row, body_a, body_b, facets, tie, mu, lo, hi);
  bind_solution(m);
  using P = SolvedProblem;
  py::class_<P, std::shared_ptr<P>>(m, "Problem", R"(A v = k + J^T lambda, w = J v + b, and a law between w and lambda for each constraint.

From a step (Report.problems), a file (cairn.load_problem) or a dict (Problem.from_dict). Numbers are in `units`. Arrays are
copies.)")
      .def_property_readonly("nv", [](const P& p) { return p.problem.velocities(); }, "Length of v.")
      .def_property_readonly("rows", [](const P& p) { return p.problem.rows(); }, "Length of lambda and w.")
      .def_property_readonly("units",
                             [](const P& p) {
                               py::dict d;
                               d["mass"] = p.problem.units.mass;
                               d["length"] = p.problem.units.length;
                               d["time"] = p.problem.units.time;
                               return d;
                             },
                             "In kg, m, s.")
      .def_property_readonly("k", [](const P& p) { return copied(p.problem.k); }, "(nv,)")
      .def_property_readonly("b", [](const P& p) { return b_of(p.problem); }, "(rows,)")
      .def_property_readonly("A",
                             [](const P& p) {
                               return dense(p.problem.velocities(), p.problem.velocities(), "A_coo",
                                            [&](auto add) { each_of_A(p.problem, add); });
                             },
                             "Mass-like matrix, dense (nv, nv).")
      .def_property_readonly("J",
                             [](const P& p) {
                               return dense(p.problem.rows(), p.problem.velocities(), "J_coo",
                                            [&](auto add) { each_of_J(p.problem, add); });
                             },
                             "Dense (rows, nv).")
      .def("A_coo", [](const P& p) { return triplets([&](auto add) { each_of_A(p.problem, add); }); },
           "(values, (rows, columns)), as scipy.sparse.coo_array takes them.")
      .def("J_coo", [](const P& p) { return triplets([&](auto add) { each_of_J(p.problem, add); }); },
           "(values, (rows, columns)), as scipy.sparse.coo_array takes them.")
      .def_property_readonly("constraints", [](const P& p) { return constraint_rows(p.problem); },
                             "Structured array: law (cairn.LAWS), rows, first_row, body_a, body_b, facets, tie, mu, lo, hi.")
      .def_property_readonly("names", [](const P& p) { return p.names; }, "Of the constraints.")
      .def_property_readonly("solution",
                             [](const P& p) -> py::object {
                               if (!p.solution) return py::none();
                               return py::cast(answer_of(p.problem, *p.solution, std::nan("")));
                             },
                             "That of the step the problem comes from, or None.")
      .def("certify",
           [](const P& p, const py::object& v, const py::object& impulses) {
             const Doubles V = numbers(v, "v", {p.problem.velocities()});
             const Doubles L = numbers(impulses, "impulses", {p.problem.rows()});
             return certificate_of(certify(p.problem, Eigen::Map<const VecX>(V.data(), V.size()),
                                           Eigen::Map<const VecX>(L.data(), L.size())));
           },
           py::arg("v"), py::arg("impulses"), "Residuals of an answer, judged from the problem alone.")
      .def("reduced", [](const P& p) { return std::make_shared<ReducedProblem>(reduce(p.problem)); },
           "The constraints' view w = W lambda + q, by elimination of the velocities.")
      .def("to_json", text_of)
      .def("_solve", solve_whole)
      .def(py::pickle([](const P& p) { return py::make_tuple(text_of(p)); },
                      [](const py::tuple& t) {
                        if (t.size() != 1) throw py::value_error("not a pickled cairn.Problem");
                        return std::make_shared<P>(value_of(problem::parse_problem(t[0].cast<std::string>(), "pickle")));
                      }))
      .def("__repr__", [](const P& p) {
        return fmt::format("<cairn.Problem: {} velocities, {} constraints, {} rows>", p.problem.velocities(),
                           p.problem.constraints.size(), p.problem.rows());
      });

  using R = ReducedProblem;
  py::class_<R, std::shared_ptr<R>>(m, "ReducedProblem", "w = W lambda + q and a law between w and lambda for each constraint.")
      .def_static("_make", [](const py::object& W, const py::object& q, const std::vector<std::string>& laws, const py::object& rows,
                              const py::object& mu, const py::object& lo, const py::object& hi) {
        return std::make_shared<R>(reduced_of(W, q, laws, rows, mu, lo, hi));
      })
      .def_property_readonly("rows", &R::rows, "Length of lambda and w.")
      .def_property_readonly("q", [](const R& p) { return copied(p.q); }, "(rows,)")
      .def_property_readonly("W",
                             [](const R& p) { return dense(p.rows(), p.rows(), "W_coo", [&](auto add) { each_of_W(p, add); }); },
                             "Dense (rows, rows).")
      .def("W_coo", [](const R& p) { return triplets([&](auto add) { each_of_W(p, add); }); },
           "(values, (rows, columns)), as scipy.sparse.coo_array takes them.")
      .def_property_readonly("constraints", [](const R& p) { return constraint_rows(p); },
                             "Structured array: law (cairn.LAWS), rows, first_row, mu, lo, hi; no bodies.")
      .def_property_readonly("first_rows", [](const R& p) { return first_rows(p.first_row); }, "(constraints + 1,)")
      .def("certify",
           [](const R& p, const py::object& impulses) {
             const Doubles L = numbers(impulses, "impulses", {p.rows()});
             return certificate_of(certify(p, Eigen::Map<const VecX>(L.data(), L.size())));
           },
           py::arg("impulses"), "Residuals of an answer, judged from the problem alone.")
      .def("to_json", [](const R& p) { return problem::reduced_text(p); })
      .def("_solve", solve_reduced)
      .def("__repr__", [](const R& p) {
        return fmt::format("<cairn.ReducedProblem: {} constraints, {} rows>", p.constraints.size(), p.rows());
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
  py::list laws;
  for (const std::string_view law : law_names()) laws.append(py::str(law.data(), law.size()));
  m.attr("LAWS") = py::tuple(laws);
}

}  // namespace cairn::python
