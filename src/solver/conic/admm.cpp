// (E47). x minimises, z is feasible, y = -(u + sigma e_n) at the solution. The slip bounds follow
// from y in every iteration: De Saxce's term costs nothing here.
#include "solver/conic/admm.hpp"

#include <cmath>

#include "solver/island/primal_matrix.hpp"

namespace cairn::solver {
namespace {

constexpr double over_relaxation = 1.6;
constexpr double stick_share = 1e-2;  // of rho, where a constraint sticks
constexpr int check_every = 5;        // iterations between two evaluations of the residual
constexpr int adapt_every = 10;       // and between two looks at rho
constexpr double rho_change = 3;      // a smaller one is not worth a factorisation
constexpr int watch_every = 50;       // iterations that have to gain a decade
constexpr double sharpening = 0.2;    // of rho where they do not
constexpr double rho_limit = 50;      // on one change

class Alternation {
 public:
  Alternation(Coupling& coupling, AdmmBuffers& buffers) : coupling_(coupling), b_(buffers) {}

  void start(const std::vector<double>& r);
  bool factor();
  void iterate();
  // Sorts the constraints and balances the two residuals; true if that asks for a factorisation.
  bool adapt();
  // A smaller rho for the last digits; where the last change gained nothing, back again.
  void sharpen(bool gained);

 private:
  // A constraint that sticks is nearly bilateral and wants a small rho, an open one a large one.
  double rho_of(std::size_t i) const { return b_.share[i] * rho_; }
  bool update_shares();

  Coupling& coupling_;
  AdmmBuffers& b_;
  double rho_ = 0.1;
  double primal_ = 0, dual_ = 0;  // |x - z| and rho |z - z_last|
  bool balance_ = true, sharpened_ = false;
  double direction_ = sharpening;
};

void Alternation::start(const std::vector<double>& r) {
  b_.z = r;
  b_.x = r;
  b_.z_last = r;
  coupling_.multiply(r, b_.u);
  slip_bounds(coupling_, b_.u, b_.sigma);
  b_.y.resize(r.size());
  b_.share.assign(b_.sigma.size(), 1.0);
  for (std::size_t i = 0; i < b_.sigma.size(); ++i) {
    const Coupling::Part& part = coupling_.parts()[i];
    const auto first = static_cast<std::size_t>(part.first);
    for (int k = 0; k < part.set.rows; ++k) {
      const std::size_t row = first + static_cast<std::size_t>(k);
      b_.y[row] = part.set.law == Law::equality ? 0 : -b_.u[row] - (k == 0 ? b_.sigma[i] : 0);
    }
  }
}

// Compares the velocity -y with the impulse z: both are zero only where the law changes branch.
bool Alternation::update_shares() {
  bool changed = false;
  for (std::size_t i = 0; i < b_.share.size(); ++i) {
    const Coupling::Part& part = coupling_.parts()[i];
    const auto first = static_cast<std::size_t>(part.first);
    double impulse = 0, velocity = 0;
    for (int k = 0; k < part.set.rows; ++k) {
      impulse = std::max(impulse, std::abs(b_.z[first + static_cast<std::size_t>(k)]));
      velocity = std::max(velocity, std::abs(b_.y[first + static_cast<std::size_t>(k)]));
    }
    const double share = velocity == 0 ? stick_share : impulse == 0 ? 1 / stick_share : 1;
    changed = changed || share != b_.share[i];
    b_.share[i] = share;
  }
  return changed;
}

bool Alternation::factor() {
  b_.theta.assign(coupling_.parts().size(), {});
  for (std::size_t i = 0; i < b_.theta.size(); ++i)
    for (int k = 0; k < max_rows; ++k) {
      b_.theta[i].value[k][k] = rho_of(i);
      b_.theta[i].inverse[k][k] = 1 / rho_of(i);
    }
  return coupling_.factor(b_.theta);
}

void Alternation::iterate() {
  // (W + rho) x = rho z - y - sigma e_n - q. Bilateral rows have the pivot of the factor for rho
  // and no y: a proximal step, whose error vanishes with x - z.
  const auto parts = coupling_.parts();
  const std::vector<double>& q = coupling_.q();
  for (std::size_t i = 0; i < parts.size(); ++i) {
    const bool bilateral = parts[i].set.law == Law::equality;
    const double rho = rho_of(i);
    for (int k = 0; k < parts[i].set.rows; ++k) {
      const auto row = static_cast<std::size_t>(parts[i].first + k);
      b_.x[row] = -q[row] + (bilateral ? bilateral_pivot * b_.z[row] : rho * b_.z[row] - b_.y[row]);
    }
    b_.x[static_cast<std::size_t>(parts[i].first)] -= b_.sigma[i];
  }
  coupling_.solve(b_.x);

  b_.z_last = b_.z;
  primal_ = dual_ = 0;
  for (std::size_t i = 0; i < parts.size(); ++i) {
    const problem::LawSet& set = parts[i].set;
    const auto first = static_cast<std::size_t>(parts[i].first);
    double *x = &b_.x[first], *z = &b_.z[first], *y = &b_.y[first];
    if (set.law == Law::equality) {
      std::copy(x, x + set.rows, z);
      continue;
    }
    const double rho = rho_of(i);
    double mixed[max_rows], target[max_rows], minus[max_rows];
    for (int k = 0; k < set.rows; ++k) {
      mixed[k] = over_relaxation * x[k] + (1 - over_relaxation) * z[k];
      target[k] = mixed[k] + y[k] / rho;
    }
    problem::project(set, target, z);
    for (int k = 0; k < set.rows; ++k) {
      y[k] += rho * (mixed[k] - z[k]);
      minus[k] = -y[k];
      const double change = z[k] - b_.z_last[first + static_cast<std::size_t>(k)];
      primal_ = std::max(primal_, std::abs(x[k] - z[k]));
      dual_ = std::max(dual_, rho * std::abs(change));
    }
    b_.sigma[i] = problem::slip_bound(set, minus);
  }
}

bool Alternation::adapt() {
  const bool changed = update_shares();
  double impulse = 0, velocity = coupling_.scale();
  for (std::size_t k = 0; k < b_.x.size(); ++k) {
    impulse = std::max(impulse, std::abs(b_.x[k]));
    velocity = std::max(velocity, std::abs(b_.y[k]));
  }
  if (!(primal_ > 0) || !(dual_ > 0) || !(impulse > 0) || !balance_) return changed;
  const double factor =
      std::clamp(std::sqrt(primal_ / impulse / (dual_ / velocity)), 1 / rho_limit, rho_limit);
  if (!(factor > rho_change || factor < 1 / rho_change)) return changed;
  rho_ = std::clamp(rho_ * factor, 1e-8, 1e6);
  return true;
}

// The balance of residuals is blind to this: where all stick, the error shrinks with rho.
void Alternation::sharpen(bool gained) {
  balance_ = false;
  if (!gained && sharpened_) direction_ = 1 / direction_;
  sharpened_ = true;
  rho_ = std::clamp(direction_ * rho_, 1e-4, 1.0);
}

}  // namespace

IterationResult admm(Coupling& coupling, const AdmmLimits& limits, AdmmBuffers& buffers,
                     std::vector<double>& r) {
  Alternation method(coupling, buffers);
  BestIterate best(coupling, buffers.best);
  method.start(r);
  best.offer(buffers.z, buffers.u);
  IterationResult result;
  double watched = best.value(), hoped = best.value();
  bool good = best.value() <= limits.tolerance ||
              (!coupling.interrupted(coupling.factor_work()) && method.factor());
  while (good && result.iterations < limits.iterations && !(best.value() <= limits.tolerance)) {
    if (coupling.interrupted(coupling.solve_work())) break;
    ++result.iterations;
    method.iterate();
    if (result.iterations % check_every == 0 || result.iterations == limits.iterations) {
      coupling.multiply(buffers.z, buffers.u);
      good = std::isfinite(best.offer(buffers.z, buffers.u));
    }
    if (limits.patience > 0 && result.iterations % limits.patience == 0) {
      if (best.value() > 0.1 * hoped) break;
      hoped = best.value();
    }
    if (!good || result.iterations % adapt_every != 0) continue;
    bool changed = method.adapt();
    if (result.iterations % watch_every == 0) {
      if (best.value() > 0.1 * watched) {
        method.sharpen(best.value() < 0.9 * watched);
        changed = true;
      }
      watched = best.value();
    }
    if (changed) good = !coupling.interrupted(coupling.factor_work()) && method.factor();
  }
  r = best.impulses();
  result.residual = best.value();
  return result;
}

}  // namespace cairn::solver
