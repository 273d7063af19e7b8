#include "analyse/impulse_view.hpp"

#include <Eigen/Cholesky>
#include <algorithm>
#include <cmath>

#include "base/index.hpp"
#include "problem/islands.hpp"
#include "problem/mass.hpp"
#include "problem/reduced_view.hpp"
#include "problem/verdict.hpp"

namespace cairn::analyse {
namespace {

// A velocity is as good as the certificate says: what is below the residual, or rounding where that
// is larger, is zero. (E16) bounds what a contact that sticks inside its cone still moves by the
// residual itself. An answer that missed does not make everything zero.
constexpr double residual_factor = 1.5;
constexpr double least_tolerance = 1e-12, largest_tolerance = 1e-3;

// Pivots of rows of unit length: directions carry rounding and the digits of a scene file (E80).
// W holds the squares of what J holds, hence its own.
constexpr double map_tolerance = 1e-8, reduced_tolerance = 1e-12;

double activity_tolerance(const Certificate& certificate) {
  return std::clamp(residual_factor * certificate.worst, least_tolerance, largest_tolerance);
}

// Fills sets, first_row, u, r from unscaled numbers; d must be there.
template <class AnyProblem>
void take(const AnyProblem& problem, const VecX& w, const VecX& lambda, ImpulseView& view) {
  view.first_row = problem.first_row;
  view.u = w;
  view.r = lambda;
  for (std::size_t i = 0; i < problem.constraints.size(); ++i) {
    view.sets.push_back(problem::law_set(problem.constraints[i]));
    for (int k = problem.first_row[i]; k < problem.first_row[i + 1]; ++k) {
      view.u[k] /= view.d[i];
      view.r[k] *= view.d[i];
    }
  }
}

// Largest impulse, and free velocity of what carries one or closes, of each island: as (E11).
// `free`: J v_free, `closing`: with b, unscaled.
void take_scales(const std::vector<int>& island_of, int islands, const VecX& free,
                 const VecX& closing, ImpulseView& view) {
  std::vector<double> scales(base::at(islands), 0.0);
  for (std::size_t i = 0; i < view.constraints(); ++i) {
    if (island_of[i] < 0) continue;
    const int first = view.first_row[i], rows = view.sets[i].rows;
    const double impulse = problem::norm(rows, view.r.data() + first);
    if (is_unilateral(view.sets[i].law) && impulse == 0 && closing[first] >= 0) continue;
    scales[base::at(island_of[i])] =
        std::max({scales[base::at(island_of[i])], impulse,
                  problem::norm(rows, free.data() + first) / view.d[i]});
  }
  for (const int island : island_of)
    view.scale.push_back(island < 0 ? 0 : scales[base::at(island)]);
}

using Block = Eigen::Matrix<double, max_velocities, max_velocities, Eigen::RowMajor>;
// Of one body: no allocation.
using Small =
    Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, 0, max_velocities, max_velocities>;

// L^-1 of A = L L^T, of the symmetric part of its block: any measure of J^T lambda tells whether
// two impulses do the same. A block that is not positive definite keeps its own measure.
Small whitener(const ProblemBody& body) {
  const Small whole = Eigen::Map<const Block>(&body.A[0][0]).topLeftCorner(body.size, body.size);
  const Small A = 0.5 * (whole + whole.transpose());
  const Small identity = Small::Identity(body.size, body.size);
  const Eigen::LLT<Small> factor(A);
  if (factor.info() != Eigen::Success) return identity;
  return factor.matrixL().solve(identity);
}

// L^-1 J^T of a constraint and one of its bodies, velocities x rows.
Small whitened(const Small& L_inverse, const Constraint& c, std::size_t side) {
  using Rows = Eigen::Matrix<double, max_rows, max_velocities, Eigen::RowMajor>;
  return L_inverse * Eigen::Map<const Rows>(&c.J[side][0][0])
                         .topLeftCorner(c.rows, L_inverse.rows())
                         .transpose();
}

}  // namespace

ImpulseView impulse_view(const Problem& problem, const VecX& v, const VecX& lambda) {
  ImpulseView view;
  std::vector<Small> L_inverse;
  for (const ProblemBody& body : problem.bodies) L_inverse.push_back(whitener(body));
  problem::MassInverse mass;
  VecX v_free = problem.k;
  if (mass.factor(problem)) mass.solve(v_free.data());

  // The map in unscaled impulses; its columns give the scales (E10). A compliant row is felt by its
  // own deformation (E870).
  int effects = problem.velocities();
  VecX w(problem.rows()), free(problem.rows()), closing(problem.rows());
  for (std::size_t i = 0; i < problem.constraints.size(); ++i) {
    const Constraint& c = problem.constraints[i];
    linear::constraint_velocity(problem, c, v.data(), true, w.data() + problem.first_row[i]);
    linear::constraint_velocity(problem, c, v_free.data(), false,
                                free.data() + problem.first_row[i]);
    linear::constraint_velocity(problem, c, v_free.data(), true,
                                closing.data() + problem.first_row[i]);
    const std::size_t begin = view.entries.size();
    double trace = 0;
    for (std::size_t side = 0; side < base::at(c.sides); ++side) {
      if (c.body[side] < 0) continue;
      const Small part = whitened(L_inverse[base::at(c.body[side])], c, side);
      trace += part.squaredNorm();
      for (int r = 0; r < c.rows; ++r)
        for (int k = 0; k < part.rows(); ++k)
          if (part(k, r) != 0)
            view.entries.push_back({problem.bodies[base::at(c.body[side])].first + k,
                                    problem.first_row[i] + r, part(k, r)});
    }
    for (int r = 0; r < c.rows && c.compliant(); ++r) {
      w[problem.first_row[i] + r] += c.compliance[r] * lambda[problem.first_row[i] + r];
      trace += c.compliance[r];
      view.entries.push_back({effects++, problem.first_row[i] + r, std::sqrt(c.compliance[r])});
    }
    view.d.push_back(power_of_two(1.2 * std::sqrt(trace / c.rows)));
    for (std::size_t k = begin; k < view.entries.size(); ++k)
      view.entries[k].value /= view.d.back();
  }
  view.effects = effects;
  take(problem, w, lambda, view);
  problem::Islands islands;
  problem::find_islands(problem, islands);
  take_scales(islands.of_constraint, islands.count, free, closing, view);
  view.tolerance = activity_tolerance(certify(problem, v, lambda));
  view.rank_tolerance = map_tolerance;
  return view;
}

ImpulseView impulse_view(const ReducedProblem& problem, const VecX& lambda) {
  ImpulseView view;
  view.d = problem::row_scales(problem);
  VecX w;
  problem::constraint_velocities(problem, lambda, w);
  for (std::size_t i = 0; i < problem.constraints.size(); ++i)
    for (int k = problem.first_block[i]; k < problem.first_block[i + 1]; ++k) {
      const ReducedProblem::Block& block = problem.blocks[base::at(k)];
      const std::size_t column = base::at(block.column);
      for (int r = 0; r < problem.constraints[i].rows; ++r)
        for (int c = 0; c < problem.constraints[column].rows; ++c)
          if (block.value[r][c] != 0)
            view.entries.push_back({problem.first_row[i] + r, problem.first_row[column] + c,
                                    block.value[r][c] / (view.d[i] * view.d[column])});
    }
  view.effects = problem.rows();
  take(problem, w, lambda, view);
  const problem::ReducedIslands islands = problem::find_islands(problem);
  take_scales(islands.of_constraint, islands.count, problem.q, problem.q, view);
  view.tolerance = activity_tolerance(certify(problem, lambda));
  view.rank_tolerance = reduced_tolerance;
  return view;
}

}  // namespace cairn::analyse
