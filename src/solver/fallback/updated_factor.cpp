#include "solver/fallback/updated_factor.hpp"

#include <Eigen/LU>
#include <algorithm>
#include <array>
#include <cmath>

#include "base/index.hpp"
#include "solver/gradient/first_order.hpp"

namespace cairn::solver {
namespace {

// A constraint whose N is off by more than this share of it is corrected.
constexpr double much = 0.5;

void add(double factor, const std::vector<double>& x, std::vector<double>& y) {
  for (std::size_t k = 0; k < x.size(); ++k) y[k] += factor * x[k];
}

// Row r of J of a group times x.
double row_image(const Island& island, const Group& g, int r, const std::vector<double>& x) {
  double sum = 0;
  for (int side = 0; side < g.sides; ++side) {
    if (g.body[side] < 0) continue;
    const IslandBody& body = island.bodies[base::at(g.body[side])];
    sum += linear::row_product(g.J[side][r], body.size, &x[base::at(body.first)]);
  }
  return sum;
}

}  // namespace

void UpdatedFactor::attach(const Island& island) {
  island_ = &island;
  lay_out(island, nodes_);
  const std::size_t bodies = island.bodies.size();
  lu_.begin(std::span(nodes_.sizes).first(bodies), std::span(nodes_.late).first(bodies));
  for (const Group& g : island.groups) for_pairs(g, [&](int a, int b) { lu_.connect(a, b); });
  lu_.analyze();
  base_.resize(island.groups.size());
  is_changed_.assign(island.groups.size(), 0);
  changed_.clear();
  right_.resize(base::at(island.velocities));
  image_.resize(base::at(island.velocities));
  fresh_ = false;
}

bool UpdatedFactor::factorize(const ProximalLaw& law) {
  for (std::size_t i = 0; i < base_.size(); ++i) law.derivative(i, base_[i].N);
  for (const int i : changed_) is_changed_[base::at(i)] = 0;
  changed_.clear();
  law.assemble(lu_);
  fresh_ = lu_.factorize();
  return fresh_;
}

bool UpdatedFactor::has_changed(const Weight& base, const Weight& now, int rows) const {
  double change = 0, size = 0;
  for (int r = 0; r < rows; ++r)
    for (int c = 0; c < rows; ++c) {
      const double a = base.N[r][c], b = now.N[r][c];
      change += (b - a) * (b - a);
      size = std::max(size, std::max(a * a, b * b));
    }
  return change > much * much * size;
}

void UpdatedFactor::add_columns(int group) {
  const Group& g = island_->groups[base::at(group)];
  for (int r = 0; r < max_rows; ++r) {
    const std::size_t column = max_rows * changed_.size() + base::at(r);
    if (Z_.size() <= column) Z_.emplace_back();
    Z_[column].assign(base::at(island_->velocities), 0.0);
    if (r >= g.rows) continue;
    for (int side = 0; side < g.sides; ++side) {
      if (g.body[side] < 0) continue;
      const IslandBody& body = island_->bodies[base::at(g.body[side])];
      for (int k = 0; k < body.size; ++k) Z_[column][base::at(body.first + k)] += g.J[side][r][k];
    }
    lu_.solve(nodes_.offsets, Z_[column].data());
  }
  changed_.push_back(group);
  is_changed_[base::at(group)] = 1;
}

// J Z, D and G of the groups that have changed.
void UpdatedFactor::weigh(const ProximalLaw& law) {
  const auto size = static_cast<Eigen::Index>(max_rows * changed_.size());
  const Eigen::Index known = JZ_.rows();
  JZ_.conservativeResize(size, size);
  D_.setZero(size, size);
  for (Eigen::Index i = 0; i < size; ++i) {
    const Group& g = island_->groups[base::at(changed_[static_cast<std::size_t>(i / max_rows)])];
    const int r = static_cast<int>(i % max_rows);
    for (Eigen::Index j = i < known ? known : 0; j < size; ++j)
      JZ_(i, j) = r < g.rows ? row_image(*island_, g, r, Z_[static_cast<std::size_t>(j)]) : 0.0;
  }
  Weight now;
  for (std::size_t i = 0; i < changed_.size(); ++i) {
    const std::size_t group = base::at(changed_[i]);
    const int rows = island_->groups[group].rows;
    law.derivative(group, now.N);
    for (int r = 0; r < rows; ++r)
      for (int c = 0; c < rows; ++c)
        D_(static_cast<Eigen::Index>(max_rows * i) + r,
           static_cast<Eigen::Index>(max_rows * i) + c) = now.N[r][c] - base_[group].N[r][c];
  }
  G_ = (Matrix::Identity(size, size) + D_ * JZ_).partialPivLu().solve(D_);
}

bool UpdatedFactor::follow(const ProximalLaw& law) {
  if (changed_.empty()) JZ_.resize(0, 0);
  Weight now;
  for (std::size_t i = 0; i < base_.size(); ++i) {
    if (is_changed_[i]) continue;
    const int rows = island_->groups[i].rows;
    law.derivative(i, now.N);
    if (!has_changed(base_[i], now, rows)) continue;
    if (changed_.size() == most_changed) return false;
    add_columns(static_cast<int>(i));
  }
  fresh_ = false;
  if (!changed_.empty()) weigh(law);
  return true;
}

void UpdatedFactor::solve(std::vector<double>& x) {
  lu_.solve(nodes_.offsets, x.data());
  if (changed_.empty()) return;
  const auto size = static_cast<Eigen::Index>(max_rows * changed_.size());
  small_.resize(size);
  for (Eigen::Index i = 0; i < size; ++i) {
    const Group& g = island_->groups[base::at(changed_[static_cast<std::size_t>(i / max_rows)])];
    const int r = static_cast<int>(i % max_rows);
    small_[i] = r < g.rows ? row_image(*island_, g, r, x) : 0.0;
  }
  small_ = (G_ * small_).eval();
  for (Eigen::Index i = 0; i < size; ++i) add(-small_[i], Z_[static_cast<std::size_t>(i)], x);
}

bool UpdatedFactor::solve_exactly(const ProximalLaw& law, double tolerance,
                                  std::vector<double>& x) {
  if (fresh_) {
    solve(x);
    return true;
  }
  // GMRES, preconditioned on the right: the residual is that of the true system.
  const double whole = std::sqrt(dot(x, x));
  if (!(whole > 0)) return std::isfinite(whole);
  Eigen::Matrix<double, most_steps + 1, most_steps> H;
  Eigen::Matrix<double, most_steps + 1, 1> rest = Eigen::Matrix<double, most_steps + 1, 1>::Zero();
  std::array<double, most_steps> cosine, sine;
  if (basis_.size() <= most_steps) basis_.resize(most_steps + 1);
  basis_[0] = x;
  for (double& value : basis_[0]) value /= whole;
  rest[0] = whole;
  int steps = 0;
  bool done = false;
  while (steps < most_steps && !done) {
    const int j = steps++;
    image_ = basis_[base::at(j)];
    solve(image_);
    std::vector<double>& next = basis_[base::at(j + 1)];
    next.resize(x.size());
    law.multiply(image_, next);
    for (int i = 0; i <= j; ++i) {
      H(i, j) = dot(basis_[base::at(i)], next);
      add(-H(i, j), basis_[base::at(i)], next);
    }
    const double length = std::sqrt(dot(next, next));
    if (length > 0)
      for (double& value : next) value /= length;
    for (int i = 0; i < j; ++i) {
      const double a = H(i, j), b = H(i + 1, j);
      H(i, j) = cosine[base::at(i)] * a + sine[base::at(i)] * b;
      H(i + 1, j) = cosine[base::at(i)] * b - sine[base::at(i)] * a;
    }
    const double radius = std::hypot(H(j, j), length);
    if (!(radius > 0)) return false;
    cosine[base::at(j)] = H(j, j) / radius;
    sine[base::at(j)] = length / radius;
    H(j, j) = radius;
    rest[j + 1] = -sine[base::at(j)] * rest[j];
    rest[j] *= cosine[base::at(j)];
    done = std::abs(rest[j + 1]) <= tolerance * whole;
  }
  if (!done) return false;
  const Eigen::VectorXd shares =
      H.topLeftCorner(steps, steps).triangularView<Eigen::Upper>().solve(rest.head(steps));
  std::fill(x.begin(), x.end(), 0.0);
  for (int i = 0; i < steps; ++i) add(shares[i], basis_[base::at(i)], x);
  solve(x);
  return true;
}

}  // namespace cairn::solver
