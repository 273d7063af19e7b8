#include "solver/direct/hold.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "base/index.hpp"

namespace cairn::solver {
namespace {

constexpr double hold_rounding = 1e-10;  // of the scale: pulls and gaps below it count as none
constexpr int sets = 4;                  // of held contacts that are tried
constexpr int sharings = 15;             // factorisations until all impulses are inside their cones

class Holding : public HeldSystem {
 public:
  Holding(const Island& island, HoldBuffers& buffers) : HeldSystem(island, buffers), b_(buffers) {
    for (std::vector<double>* rows : {&b_.z, &b_.p, &b_.ahead}) rows->resize(base::at(island.rows));
    for (std::size_t i = 0; i < island.groups.size(); ++i) {
      const Group& g = island.groups[i];
      const bool closes = island.u_free[base::at(g.first)] <= hold_rounding * island.scale;
      if (!is_unilateral(g.set.law) || closes) take_hold(i);
    }
  }

  // Impulses begin anew with each set, so that they are the shortest that hold it. False: the
  // matrix is singular.
  bool hold(std::vector<double>& r, std::vector<double>& v) {
    analyze();
    b_.stiffness.assign(island_.groups.size(), hold_stiffness);
    if (!stiffen()) return false;
    r.assign(base::at(island_.rows), 0.0);
    b_.u = island_.u_free;
    const double first = refine(r, v);
    double last = first;
    if (take_loads(r) && !stiffen()) return false;
    for (int i = 1; i < refinements && last > 1e-16 * first; ++i) {
      const double now = refine(r, v);
      if (!(now < 0.3 * last) || now * (now / last) <= 1e-17 * first)
        break;  // the next is rounding
      last = now;
    }
    return true;
  }

  // Stiffness in proportion to the impulses found (E313); false if that changes nothing.
  bool take_loads(const std::vector<double>& r) {
    bool changed = false;
    for (std::size_t i = 0; i < island_.groups.size(); ++i) {
      const double load = load_of(island_, island_.groups[i], r);
      b_.stiffness[i] = std::min(most_stiffness, load * hold_stiffness);
      changed = changed || load > 1;
    }
    return changed;
  }

  // Lets go what pulls and holds what has closed; the number of changes.
  int revise(const std::vector<double>& r) {
    set_small(r);
    int changes = 0;
    for (std::size_t i = 0; i < island_.groups.size(); ++i) {
      const Group& g = island_.groups[i];
      if (!is_unilateral(g.set.law)) continue;
      if (b_.held[i] == 0 && b_.u[base::at(g.first)] < -small_velocity_)
        take_hold(i);
      else if (b_.held[i] > 0 && r[base::at(g.first)] < -small_)
        b_.held[i] = 0;
      else
        continue;
      ++changes;
    }
    return changes;
  }

  bool inside(const std::vector<double>& r) const {
    for (const Group& g : island_.groups) {
      if (is_joint(g)) continue;
      double p[max_rows];
      problem::project(g.set, &r[base::at(g.first)], p);
      for (int k = 0; k < g.rows; ++k)
        if (std::abs(p[k] - r[base::at(g.first + k)]) > small_) return false;
    }
    return true;
  }

  // The held contacts do not move, but the shortest impulses that hold them lie outside some cones:
  // of those inside with the same J^T r the shortest, P(z) with z in the range of J, by Newton as
  // in (E107). False if none were found.
  bool share(std::vector<double>& r, std::vector<double>& v) {
    b_.load.assign(base::at(island_.velocities), 0.0);
    add_forces(r, 1, b_.load);
    b_.z = r;
    const double whole = size_of(b_.load);
    double missing = balance(b_.z);
    for (int i = 0; i < sharings && missing > 1e-15 * whole; ++i) {
      const double ridge = 1e-13 + std::min(1e-3, 0.1 * missing / whole);
      if (!factorize(ridge, [&](std::size_t k, double N[max_rows][max_rows]) {
            if (b_.held[k] > 0) problem::project_derivative(island_.groups[k].set, z_of(k), N);
          }))
        return false;
      b_.y = b_.x;
      b_.lu.solve(b_.offsets, b_.y.data());
      bool better = false;
      for (double t = 1; t > 0.1 && !better; t *= 0.5) {
        move(t);
        const double now = balance(b_.ahead);
        better = now < (1 - 0.1 * t) * missing;
        if (better) missing = now;
      }
      if (!better) break;
      b_.z = b_.ahead;
    }
    if (!(missing <= 1e-9 * whole)) return false;
    balance(b_.z);
    r = b_.p;
    velocities_from_impulses(island_, r, v);
    return true;
  }

 private:
  const double* z_of(std::size_t i) const { return &b_.z[base::at(island_.groups[i].first)]; }
  void set_small(const std::vector<double>& r) {
    small_ = island_.scale;
    for (const Group& g : island_.groups) {
      double most = 0;
      for (int k = 0; k < g.rows; ++k) most = std::max(most, std::abs(r[base::at(g.first + k)]));
      small_ = std::max(small_, most);
    }
    small_velocity_ = std::max(hold_rounding * island_.scale, 1e-15 * small_);
    small_ *= hold_rounding;
  }

  void add_forces(const std::vector<double>& r, double sign, std::vector<double>& f) const {
    for (const Group& g : island_.groups) {
      double share[max_rows];
      for (int k = 0; k < g.rows; ++k) share[k] = sign * r[base::at(g.first + k)];
      add_force(g, share, f);
    }
  }
  double size_of(const std::vector<double>& force) const {  // in the metric of the mass
    double sum = 0;
    for (const IslandBody& body : island_.bodies)
      for (int k = 0; k < body.size; ++k)
        sum += force[base::at(body.first + k)] * body.inverse[k] * force[base::at(body.first + k)];
    return std::sqrt(sum);
  }

  // p = P(z), and what is missing of the load into x.
  double balance(const std::vector<double>& z) {
    for (std::size_t i = 0; i < island_.groups.size(); ++i) {
      const Group& g = island_.groups[i];
      double* p = &b_.p[base::at(g.first)];
      std::fill(p, p + g.rows, 0.0);
      if (is_joint(g))
        std::copy_n(&z[base::at(g.first)], g.rows, p);
      else if (b_.held[i] > 0)
        problem::project(g.set, &z[base::at(g.first)], p);
    }
    b_.x.assign(base::at(unknowns_), 0.0);
    std::copy(b_.load.begin(), b_.load.end(), b_.x.begin());
    add_forces(b_.p, -1, b_.x);
    return size_of(b_.x);
  }

  // ahead = z + t J y.
  void move(double t) {
    for (std::size_t i = 0; i < island_.groups.size(); ++i) {
      const Group& g = island_.groups[i];
      double change[max_rows] = {};
      if (is_joint(g))
        std::copy_n(border(i, b_.y), g.rows, change);
      else
        add_velocity(g, b_.y, change);
      for (int k = 0; k < g.rows; ++k)
        b_.ahead[base::at(g.first + k)] = b_.z[base::at(g.first + k)] + t * change[k];
    }
  }

  HoldBuffers& b_;
  double small_ = 0, small_velocity_ = 0;  // impulses and velocities that count as none
};

}  // namespace

IterationResult hold(const Island& island, HoldBuffers& b, std::vector<double>& r,
                     std::vector<double>& v) {
  constexpr double exact = 1e-14;  // no start is better by more than rounding
  constexpr double none = std::numeric_limits<double>::infinity();
  double found = none;
  Holding holding(island, b);
  for (int i = 0; i < sets && holding.hold(b.trial, b.v); ++i) {
    if (holding.revise(b.trial) > 0) continue;
    found = holding.judge(b.trial);
    if (!(found <= exact) && !holding.inside(b.trial))
      found = holding.share(b.trial, b.v) ? residual(island, b.trial, b.v) : none;
    break;
  }
  const double start = found <= exact ? found : residual(island, r, v);
  if (found <= exact || found < start) {
    r = b.trial;
    v = b.v;
  }
  return {holding.factorisations(), std::min(found, start)};
}

}  // namespace cairn::solver
