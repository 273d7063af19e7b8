// What the attempts of `auto` share, on an Island or a ReducedIsland: the best impulses that any
// method has left, and their residual.
#pragma once

#include <algorithm>
#include <vector>

#include "base/infinity.hpp"
#include "cairn/solver.hpp"
#include "solver/run_method.hpp"

namespace cairn::solver {

template <class AnyIsland>
class BestAttempt {
 public:
  // Where a direct solve is cheap the aim is rounding, not the tolerance: what rests, rests.
  static constexpr double rounding = 1e-14;

  double value() const { return value_; }
  // After an interrupt the best impulses so far are accepted.
  bool good() const { return value_ <= options.tolerance || island_.interrupted(); }
  bool exact() const { return value_ <= rounding || island_.interrupted(); }

  void start_from_zero() {
    std::fill(r_.begin(), r_.end(), 0.0);
    at_best_ = false;
  }
  MethodResult result(bool fallback) {
    restore();
    total_.iteration.residual = value_;
    total_.fallback = fallback;
    return total_;
  }

  const Auto& options;

 protected:
  BestAttempt(const AnyIsland& island, const Auto& asked, std::vector<double>& best,
              std::vector<double>& r, std::vector<double>& v)
      : options(asked), island_(island), best_(best), r_(r), v_(v) {
    start();
  }

  void start() {
    velocities_from_impulses(island_, r_, v_);
    best_ = r_;
    at_best_ = true;
    work_before_ = island_.work();
  }
  // The present impulses count as an attempt.
  void judge() { value_ = residual(island_, r_, v_); }
  void restore() {
    if (at_best_) return;
    r_ = best_;
    velocities_from_impulses(island_, r_, v_);
    at_best_ = true;
  }
  // Takes what a method left in r and v; restores the best if it was worse.
  void take(const IterationResult& result, const char* method) {
    if (island_.log)
      island_.log->add(method, result.iterations, value_, result.residual,
                       island_.work() - work_before_);
    work_before_ = island_.work();
    total_.iteration.iterations += result.iterations;
    total_.iteration.ray = total_.iteration.ray || result.ray;
    at_best_ = result.residual < value_;
    if (at_best_) {
      value_ = result.residual;
      best_ = r_;
      total_.method = method;
    }
    restore();
  }
  // The same of a method that leaves no velocities.
  void take_impulses(const IterationResult& result, const char* method) {
    velocities_from_impulses(island_, r_, v_);
    take(result, method);
  }

  const AnyIsland& island_;
  std::vector<double>& best_;
  std::vector<double>&r_, &v_;
  double value_ = base::infinity;
  double work_before_ = 0;  // the attempt at hand
  bool at_best_ = false;    // r and v are those of the best
  MethodResult total_{{}, "warm", false};
};

}  // namespace cairn::solver
