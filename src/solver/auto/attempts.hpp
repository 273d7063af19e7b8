// The attempts of `auto` on one island.
#pragma once

#include "solver/auto/automatic.hpp"
#include "solver/best_attempt.hpp"

namespace cairn::solver {

// Runs methods on the island one after the other and keeps the best impulses that any has left.
class Attempts : public BestAttempt<Island> {
 public:
  // judged: the start counts as an attempt.
  Attempts(const Island& island, const Auto& asked, bool judged, MethodBuffers& buffers,
           std::vector<double>& r, std::vector<double>& v)
      : BestAttempt(island, asked, buffers.best, r, v), b_(buffers) {
    if (judged) judge();
  }
  void judge_start() { judge(); }
  bool tried_interior() const { return tried_interior_; }

  void sweep(int most, double tolerance, bool stop_on_stagnation = false) {
    const NsgsLimits limits{.tolerance = tolerance,
                            .sweeps = std::min(most, options.max_sweeps),
                            .stop_on_stagnation = stop_on_stagnation};
    take(solver::nsgs(island_, limits, b_.nsgs, r_, v_), "nsgs");
  }
  void strides(double tolerance) {
    take(solver::strides(island_, {.tolerance = tolerance}, b_.nsgs, r_, v_), "strides");
  }
  void hold_on() { take(solver::hold_on(island_, kept_factor(b_), r_, v_), "hold"); }
  void hold() { take(solver::hold(island_, b_.hold, r_, v_), "hold"); }
  void newton(const NewtonLimits& limits) {
    take(solver::newton(island_, limits, b_.newton, r_, v_), "newton");
  }
  void lemke(const LemkeLimits& limits) {
    take(solver::lemke(island_, limits, b_.lemke, r_, v_), "lemke");
  }
  void pyramids(const PyramidLimits& limits) {
    take(solve_by_pyramids(island_, limits, b_.pyramids, r_, v_), "pyramids");
  }
  bool pyramids_take(const PyramidLimits& limits) const {
    return solver::pyramids_take(island_, limits);
  }
  void central_path(const CentralPathLimits& limits) {
    if (path_takes(island_, limits))
      take(follow_central_path(island_, limits, b_.central_path, r_, v_), "central path");
  }
  void proximal_path(int factorisations) {
    const ProximalPathLimits limits{.tolerance = options.tolerance,
                                    .factorisations = factorisations,
                                    .products = factor_of_packing * factorisations};
    if (proximal_path_takes(island_))
      take(follow_proximal_path(island_, limits, b_.proximal_path, r_, v_), "proximal path");
  }
  void direct() { take(solve_joints(island_, b_.shares, r_, v_), "direct"); }
  void admm(const AdmmLimits& limits) {
    b_.coupling.attach(island_);
    take_impulses(solver::admm(b_.coupling, limits, b_.shelf.admm, r_), "admm");
  }
  void ipm(const IpmLimits& limits) {
    tried_interior_ = true;
    b_.coupling.attach(island_);
    take_impulses(solver::ipm(b_.coupling, limits, b_.shelf.ipm, r_), "ipm");
  }
  // Accelerated gradients where the law is convex, spectral ones where it is not.
  void gradients(bool convex) {
    b_.coupling.attach(island_);
    const FirstOrderLimits limits{.tolerance = options.tolerance, .iterations = options.max_sweeps};
    if (convex)
      take_impulses(solver::apgd(b_.coupling, limits, b_.shelf.apgd, r_), "apgd");
    else
      take_impulses(solver::bb(b_.coupling, limits, b_.shelf.bb, r_), "bb");
  }
  // The same on a packing that can be packed.
  bool packs() { return b_.packed.packing.attach(island_); }
  void packed_gradients(bool convex, int steps) {
    const FirstOrderLimits limits{.tolerance = options.tolerance, .iterations = steps};
    if (convex)
      take_impulses(packed_apgd(limits, b_.packed, r_), "apgd");
    else
      take_impulses(packed_spectral(limits, b_.packed, r_), "spectral");
  }

  // From zero as if nothing had been found; what was found is kept until end_anew().
  void begin_anew() {
    b_.kept = b_.best;
    kept_ = value_;
    start_from_zero();
    start();
    judge();
  }
  void end_anew() {
    if (!(kept_ < value_)) return;
    value_ = kept_;
    b_.best = b_.kept;
    at_best_ = false;
    restore();
  }

 private:
  // Products of 6 x 6 blocks for each factorisation that is allowed: those of 1000 spheres.
  static constexpr double factor_of_packing = 1.5e6;

  MethodBuffers& b_;
  double kept_ = 0;
  bool tried_interior_ = false;
};

}  // namespace cairn::solver
