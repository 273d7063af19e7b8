// Impacts one contact after the other (E226), each along the path of its slip (E222), with the
// joints of the bodies (E223).
#include <algorithm>
#include <cmath>
#include <numeric>

#include "base/conventions.hpp"
#include "base/index.hpp"
#include "linear/blocks.hpp"
#include "scheme/impact/collision.hpp"
#include "scheme/impact/impact_path.hpp"

namespace cairn::scheme {
namespace {

constexpr int impacts_per_contact = 200;  // of a sequence, before the rest of it is plastic
constexpr double redundant = 1e-12;       // of the largest pivot of the joints [-]
constexpr double no_approach = 0x1p-33;   // of the speeds at hand: does not approach [-]

}  // namespace

// S = J_e A^-1 J_e^T of the island's joints and its factor; A^-1 J_e^T beside it.
void Collision::eliminate_joints(int island) {
  d.sequence.joint_list.clear();
  Eigen::Index rows = 0;
  for (int k = d.islands.first_constraint[base::at(island)];
       k < d.islands.first_constraint[base::at(island + 1)]; ++k) {
    const int c = d.islands.constraints[base::at(k)];
    if (d.collider_of[base::at(c)] >= 0) continue;
    d.sequence.joint_list.push_back(c);
    rows += d.base.constraints[base::at(c)].rows;
  }
  if (rows == 0) return;
  d.sequence.joint_rows.setZero(d.base.velocities(), rows);
  Eigen::Index row = 0;
  for (const int i : d.sequence.joint_list) {
    const Constraint& c = d.base.constraints[base::at(i)];
    for (std::size_t side = 0; side < max_sides; ++side) {
      if (c.body[side] < 0) continue;
      const ProblemBody& b = d.base.bodies[base::at(c.body[side])];
      const linear::BodyBlock& inverse = d.sequence.mass.block(c.body[side]);
      for (int r = 0; r < c.rows; ++r)
        for (int k = 0; k < b.size; ++k)
          for (int l = 0; l < b.size; ++l)
            d.sequence.joint_rows(b.first + k, row + r) += inverse[k][l] * c.J[side][r][l];
    }
    row += c.rows;
  }
  d.sequence.joint_response.setZero(rows, rows);
  for (Eigen::Index column = 0; column < rows; ++column) {
    row = 0;
    for (const int i : d.sequence.joint_list) {
      const Constraint& c = d.base.constraints[base::at(i)];
      double w[max_rows] = {};
      linear::constraint_velocity(d.base, c, d.sequence.joint_rows.col(column).data(), false, w);
      for (int r = 0; r < c.rows; ++r) d.sequence.joint_response(row + r, column) = w[r];
      row += c.rows;
    }
  }
  factor_joints();
}

// S = L D L^T with the largest diagonal first; what is left below rounding belongs to redundant
// rows, which carry nothing.
void Collision::factor_joints() {
  Eigen::MatrixXd& S = d.sequence.joint_response;
  const Eigen::Index n = S.rows();
  d.sequence.joint_order.resize(static_cast<std::size_t>(n));
  std::iota(d.sequence.joint_order.begin(), d.sequence.joint_order.end(), 0);
  const double largest = S.diagonal().maxCoeff();
  Eigen::Index k = 0;
  for (; k < n; ++k) {
    Eigen::Index pivot = k;
    for (Eigen::Index i = k + 1; i < n; ++i)
      if (S(i, i) > S(pivot, pivot)) pivot = i;
    if (!(S(pivot, pivot) > redundant * largest)) break;
    S.row(k).swap(S.row(pivot));
    S.col(k).swap(S.col(pivot));
    std::swap(d.sequence.joint_order[static_cast<std::size_t>(k)],
              d.sequence.joint_order[static_cast<std::size_t>(pivot)]);
    for (Eigen::Index i = k + 1; i < n; ++i) {
      const double share = S(i, k) / S(k, k);
      for (Eigen::Index j = k + 1; j < n; ++j) S(i, j) -= share * S(k, j);
    }
    for (Eigen::Index i = k + 1; i < n; ++i) S(i, k) /= S(k, k);
  }
  d.sequence.joint_rank = k;
}

// joint_scratch <- S^-1 joint_scratch.
void Collision::solve_joints() {
  CAIRN_DCHECK(d.sequence.joint_scratch.size() == d.sequence.joint_response.rows(),
               d.sequence.joint_scratch.size());
  CAIRN_DCHECK(d.sequence.joint_rank <= d.sequence.joint_response.rows(), d.sequence.joint_rank);
  const Eigen::MatrixXd& S = d.sequence.joint_response;
  const Eigen::Index n = S.rows(), rank = d.sequence.joint_rank;
  VecX& y = d.sequence.joint_sorted;
  y.setZero(n);
  const auto place = [&](Eigen::Index i) {
    return d.sequence.joint_order[static_cast<std::size_t>(i)];
  };
  for (Eigen::Index i = 0; i < rank; ++i) {
    y[i] = d.sequence.joint_scratch[place(i)];
    for (Eigen::Index k = 0; k < i; ++k) y[i] -= S(i, k) * y[k];
  }
  for (Eigen::Index i = 0; i < rank; ++i) y[i] /= S(i, i);
  for (Eigen::Index i = rank; i-- > 0;)
    for (Eigen::Index k = i + 1; k < rank; ++k) y[i] -= S(k, i) * y[k];
  d.sequence.joint_scratch.setZero(n);
  for (Eigen::Index i = 0; i < rank; ++i) d.sequence.joint_scratch[place(i)] = y[i];
}

// Adds to `change` what keeps the joints closed, w of them being J_e change (+ b with `velocity`),
// and writes down what they carry. Twice, since joints may be redundant.
void Collision::close_joints(bool velocity, VecX& change) {
  if (d.sequence.joint_list.empty()) return;
  for (int pass = 0; pass < 2; ++pass) {
    d.sequence.joint_scratch.resize(d.sequence.joint_response.rows());
    Eigen::Index row = 0;
    for (const int i : d.sequence.joint_list) {
      const Constraint& c = d.base.constraints[base::at(i)];
      double w[max_rows] = {};
      linear::constraint_velocity(d.base, c, change.data(), velocity, w);
      for (int r = 0; r < c.rows; ++r) d.sequence.joint_scratch[row++] = -w[r];
    }
    solve_joints();
    change.noalias() += d.sequence.joint_rows * d.sequence.joint_scratch;
    row = 0;
    for (const int i : d.sequence.joint_list)
      for (int r = 0; r < d.base.constraints[base::at(i)].rows; ++r)
        d.sequence.joint_impulse[d.base.first_row[base::at(i)] + r] +=
            d.sequence.joint_scratch[row++];
  }
}

// change of the velocities by impulses on one contact, in bodies that are joined.
void Collision::respond(const Constraint& c, const double* lambda, VecX& change) {
  change.setZero(d.base.velocities());
  for (std::size_t side = 0; side < max_sides; ++side) {
    if (c.body[side] < 0) continue;
    const ProblemBody& b = d.base.bodies[base::at(c.body[side])];
    const linear::BodyBlock& inverse = d.sequence.mass.block(c.body[side]);
    double f[max_velocities] = {};
    linear::add_transposed(c.J[side], c.rows, b.size, lambda, f);
    for (int k = 0; k < b.size; ++k)
      change[b.first + k] += linear::row_product(inverse[k], b.size, f);
  }
  close_joints(false, change);
}

// One contact, by its law and along the path of its slip (E222), from the velocities v_from.
void Collision::strike(std::size_t contact, double e) {
  CAIRN_DCHECK(contact < d.colliders.size(), contact);
  CAIRN_DCHECK(e >= 0 && e <= 1, e);
  const Constraint& c = constraint(contact);
  ImpactInput in;
  double W[max_rows][max_rows] = {}, u[max_rows] = {};
  if (d.sequence.joint_list.empty()) {
    problem::own_response(d.base, d.sequence.mass, c, W);
  } else {
    d.sequence.joint_impulse.setZero(d.base.rows());
    for (int column = 0; column < c.rows; ++column) {
      double unit[max_rows] = {}, w[max_rows] = {};
      unit[column] = 1;
      respond(c, unit, d.v_scratch);
      linear::constraint_velocity(d.base, c, d.v_scratch.data(), false, w);
      for (int r = 0; r < c.rows; ++r) W[r][column] = w[r];
    }
  }
  linear::constraint_velocity(d.base, c, d.v_from.data(), true, u);
  for (int r = 0; r < c.rows; ++r) {
    in.u[r] = u[r];
    for (int k = 0; k < c.rows; ++k) in.W(r, k) = 0.5 * (W[r][k] + W[k][r]);
  }
  in.mu = c.rows > 1 ? c.mu : 0;
  in.e = e;
  in.law = d.colliders[contact].law;
  const ImpactOutcome out = impact_path(in);
  if (d.sequence.joint_list.empty()) {
    respond(c, out.impulse.data(), d.v_scratch);
  } else {
    d.sequence.joint_impulse.setZero(d.base.rows());
    respond(c, out.impulse.data(), d.v_scratch);
    d.impulse += d.sequence.joint_impulse;
  }
  d.v_from += d.v_scratch;
  const int first = row(contact);
  for (int r = 0; r < c.rows; ++r) d.impulse[first + r] += out.impulse[r];
  d.work[first] += out.work_compression + out.work_decompression;
  if (c.rows > 1) d.work[first + 1] += out.work_friction;
}

// (E226): the contact that closes fastest, until none closes faster than what bounces. What is then
// left, and contacts that return nothing, is for the solve of all contacts that follows.
void Collision::sequence(int island) {
  d.sequence.mass.factor(d.base);
  eliminate_joints(island);
  if (!d.sequence.joint_list.empty()) {
    // The joints first: from here on they do no work.
    d.sequence.joint_impulse.setZero(d.base.rows());
    d.v_scratch = d.v_from;
    close_joints(true, d.v_from);
    for (const int i : d.sequence.joint_list)
      add_segment(base::at(i), d.v_scratch, d.v_from,
                  d.sequence.joint_impulse.data() + d.base.first_row[base::at(i)]);
  }
  const int begin = d.islands.first_constraint[base::at(island)],
            end = d.islands.first_constraint[base::at(island + 1)];
  double fastest = 0;
  for (int k = begin; k < end; ++k)
    if (const int i = d.collider_of[base::at(d.islands.constraints[base::at(k)])]; i >= 0)
      fastest = std::max(fastest, -d.colliders[base::at(i)].approach / d.base.units.speed());
  const int most = impacts_per_contact * (end - begin);
  for (int impacts = 0;; ++impacts) {
    std::size_t next = d.colliders.size();
    double speed = 0;
    for (int k = begin; k < end; ++k) {
      const std::size_t c = base::at(d.islands.constraints[base::at(k)]);
      if (d.collider_of[c] < 0) continue;
      const Collider& collider = d.colliders[base::at(d.collider_of[c])];
      if (collider.restitution == 0) continue;
      double w[max_rows] = {};
      linear::constraint_velocity(d.base, d.base.constraints[c], d.v_from.data(), true, w);
      const double least =
          std::max(collider.threshold / d.base.units.speed(), no_approach * fastest);
      if (!(-w[0] > least) || !(-w[0] > speed)) continue;
      speed = -w[0];
      next = base::at(d.collider_of[c]);
    }
    if (next == d.colliders.size()) return;
    if (impacts == most) {
      ++report.unfinished_sequences;
      return;
    }
    if (rules.propagation == Propagation::sequential) ++report.sequential_impacts;
    strike(next, d.of_island.theta[base::at(island)] * d.colliders[next].restitution);
  }
}

}  // namespace cairn::scheme
