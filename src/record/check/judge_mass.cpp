#include "record/check/judge_mass.hpp"

#include <Eigen/Cholesky>
#include <Eigen/SparseLU>
#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>

#include "base/index.hpp"

namespace cairn::record {
namespace {

// Pairs of bodies that a constraint or a block of A connects.
std::vector<std::array<int, 2>> connections(const Problem& problem) {
  std::vector<std::array<int, 2>> pairs;
  for (const Constraint& c : problem.constraints)
    for (std::size_t i = 0; i < c.body.size(); ++i)
      for (std::size_t j = i + 1; j < c.body.size(); ++j)
        if (c.body[i] >= 0 && c.body[j] >= 0) pairs.push_back({c.body[i], c.body[j]});
  for (const BodyCoupling& c : problem.couplings) pairs.push_back(c.body);
  return pairs;
}

}  // namespace

Block mass(const ProblemBody& body) {
  return Eigen::Map<const Eigen::Matrix<double, max_velocities, max_velocities, Eigen::RowMajor>>(
             &body.A[0][0])
      .topLeftCorner(body.size, body.size);
}

Rows jacobian(const Constraint& c, int side, int size) {
  return Eigen::Map<const Eigen::Matrix<double, max_rows, max_velocities, Eigen::RowMajor>>(
             &c.J[side][0][0])
      .topLeftCorner(c.rows, size);
}

// By relabelling along connections until nothing changes: slow and plain.
std::vector<int> components(const Problem& problem) {
  const auto pairs = connections(problem);
  std::vector<int> label(problem.bodies.size());
  std::iota(label.begin(), label.end(), 0);
  for (bool changed = true; changed;) {
    changed = false;
    for (const auto& pair : pairs) {
      int& a = label[base::at(pair[0])];
      int& b = label[base::at(pair[1])];
      // A label is a body of the same island: following it halves the chains.
      a = label[base::at(a)];
      b = label[base::at(b)];
      if (a == b) continue;
      const int least = std::min(a, b);
      label[base::at(a)] = label[base::at(b)] = least;
      a = b = least;
      changed = true;
    }
  }
  for (int& l : label)
    while (l != label[base::at(l)]) l = label[base::at(l)];
  return label;
}

struct Mass::Factors {
  std::vector<Eigen::LDLT<Block>> bodies;
  Eigen::SparseMatrix<double> whole;
  Eigen::SparseLU<Eigen::SparseMatrix<double>> lu;
  std::vector<Block> inverse;  // diagonal blocks of A^-1
};

Mass::~Mass() = default;

Mass::Mass(const Problem& problem) : problem_(problem), factors_(std::make_unique<Factors>()) {
  for (const ProblemBody& b : problem.bodies)
    simple_ = simple_ && mass(b).isApprox(mass(b).transpose(), 1e-12);
  simple_ = simple_ && problem.couplings.empty();
  for (const ProblemBody& b : problem.bodies)
    if (simple_) factors_->bodies.emplace_back(mass(b));
  if (!simple_) factor_whole();
}

VecX Mass::solve(const VecX& p) const {
  if (!simple_) return factors_->lu.solve(p);
  VecX v(p.size());
  for (std::size_t j = 0; j < factors_->bodies.size(); ++j) {
    const ProblemBody& b = problem_.bodies[j];
    v.segment(b.first, b.size) = factors_->bodies[j].solve(p.segment(b.first, b.size));
  }
  return v;
}

double Mass::norm(std::size_t j, const Few& p) const {
  if (simple_) return std::sqrt(std::max(0.0, p.dot(Few(factors_->bodies[j].solve(p)))));
  return std::sqrt(std::max(0.0, p.dot(factors_->inverse[j] * p)));
}

double Mass::norm_of_magnitudes(std::size_t j, const Few& t) const {
  const Block Z = simple_ ? Block(factors_->bodies[j].solve(Block::Identity(t.size(), t.size())))
                          : factors_->inverse[j];
  return std::sqrt(t.dot(Few(Z.cwiseAbs() * t)));
}

double Mass::side_trace(const Constraint& c, int side) const {
  const std::size_t body = base::at(c.body[base::at(side)]);
  const Rows J = jacobian(c, side, problem_.bodies[body].size);
  if (simple_)
    return J.cwiseProduct(Rows(factors_->bodies[body].solve(J.transpose()).transpose())).sum();
  return J.cwiseProduct(Rows(J * factors_->inverse[body].transpose())).sum();
}

double Mass::trace(const Constraint& c) const {
  double sum = 0;
  if (simple_) {
    for (int side = 0; side < max_sides; ++side)
      if (c.body[base::at(side)] >= 0) sum += side_trace(c, side);
    return sum;
  }
  for (int r = 0; r < c.rows; ++r) {
    VecX row = VecX::Zero(problem_.velocities());
    for (int side = 0; side < max_sides; ++side) {
      if (c.body[base::at(side)] < 0) continue;
      const ProblemBody& b = problem_.bodies[base::at(c.body[base::at(side)])];
      row.segment(b.first, b.size) += jacobian(c, side, b.size).row(r).transpose();
    }
    sum += row.dot(solve(row));
  }
  return sum;
}

void Mass::factor_whole() {
  std::vector<Eigen::Triplet<double>> entries;
  const auto add = [&](const double(&A)[max_velocities][max_velocities], const ProblemBody& a,
                       const ProblemBody& b) {
    for (int r = 0; r < a.size; ++r)
      for (int c = 0; c < b.size; ++c) entries.emplace_back(a.first + r, b.first + c, A[r][c]);
  };
  for (const ProblemBody& b : problem_.bodies) add(b.A, b, b);
  for (const BodyCoupling& c : problem_.couplings) {
    const ProblemBody &a = problem_.bodies[base::at(c.body[0])],
                      &b = problem_.bodies[base::at(c.body[1])];
    add(c.A[0], a, b);
    add(c.A[1], b, a);
  }
  factors_->whole.resize(problem_.velocities(), problem_.velocities());
  factors_->whole.setFromTriplets(entries.begin(), entries.end());
  factors_->lu.compute(factors_->whole);
  for (const ProblemBody& b : problem_.bodies) {
    Block& Z = factors_->inverse.emplace_back(b.size, b.size);
    for (int c = 0; c < b.size; ++c)
      Z.col(c) = solve(VecX::Unit(problem_.velocities(), b.first + c)).segment(b.first, b.size);
  }
}

}  // namespace cairn::record
