#include "solve/automatic.hpp"

#include <algorithm>

namespace cairn {
namespace {

// Where a direct solve is cheap the aim is rounding, not the tolerance: what rests, rests.
constexpr double rounding = 1e-14;

// Newton takes islands up to this many groups to rounding, and is quicker there than pivoting.
constexpr std::size_t small = 32;

// A tolerance above this one asks for speed.
constexpr double loose = 1e-6;

// Above this residual Newton takes many damped steps.
constexpr double far = 1e-3;

// Many contacts in the plane: there Coulomb's law is a linear complementarity problem, and pivoting
// from the basis that a few sweeps suggest is quicker than Newton and fails less. (Pyramids in
// space have too many variables for that.)
bool is_planar_pile(const Island& island) {
  std::size_t contacts = 0;
  for (const Group& g : island.groups) {
    if (has_cone(g.set.law) && g.rows > 2) return false;
    if (is_unilateral(g.set.law)) ++contacts;
  }
  return contacts > small;
}

// Keeps the best impulses seen by any method.
class Best {
 public:
  Best(const Island& island, MethodBuffers& buffers, std::vector<double>& r, std::vector<double>& v)
      : island_(island), buffers_(buffers), r_(r), v_(v) {
    velocities_from_impulses(island, r, v);
    value_ = residual(island, r, v);
    buffers_.best = r;
  }
  double value() const { return value_; }

  // Takes what a method left in r and v; restores the best if it was worse.
  void take(const IterationResult& result, const char* method) {
    total_.iteration.iterations += result.iterations;
    if (result.residual < value_) {
      value_ = result.residual;
      buffers_.best = r_;
      total_.method = method;
    }
    restore();
  }
  void restore() {
    r_ = buffers_.best;
    velocities_from_impulses(island_, r_, v_);
  }
  // From zero as if nothing had been found; what was found is kept until end_anew().
  void begin_anew() {
    buffers_.kept = buffers_.best;
    kept_ = value_;
    std::fill(r_.begin(), r_.end(), 0.0);
    velocities_from_impulses(island_, r_, v_);
    value_ = residual(island_, r_, v_);
    buffers_.best = r_;
  }
  void end_anew() {
    if (!(kept_ < value_)) return;
    value_ = kept_;
    buffers_.best = buffers_.kept;
    restore();
  }
  MethodResult result(bool fallback) {
    restore();
    total_.iteration.residual = value_;
    total_.fallback = fallback;
    return total_;
  }

 private:
  const Island& island_;
  MethodBuffers& buffers_;
  std::vector<double>&r_, &v_;
  double value_ = 0, kept_ = 0;
  MethodResult total_{{}, "warm", false};
};

// A packing: sweeps are the quickest from nowhere and for the first digits; for the next ones
// accelerated gradients where the law is convex, spectral ones where it is not.
void descend(const Island& island, const Auto& options, MethodBuffers& buffers, Best& best,
             std::vector<double>& r, std::vector<double>& v) {
  const bool convex = std::none_of(island.groups.begin(), island.groups.end(), [](const Group& g) {
    return g.set.law == Law::coulomb && g.set.mu > 0;
  });
  const bool nowhere = best.value() > 0.1 && !convex;
  best.take(nsgs(island,
                 {.tolerance = options.tolerance,
                  .sweeps = nowhere ? options.max_sweeps : std::min(40, options.max_sweeps),
                  .stop_on_stagnation = true},
                 buffers.nsgs, r, v),
            "nsgs");
  if (best.value() <= options.tolerance) return;
  buffers.coupling.attach(island);
  const FirstOrderLimits limits{.tolerance = options.tolerance, .iterations = options.max_sweeps};
  const IterationResult result = convex ? apgd(buffers.coupling, limits, buffers.apgd, r)
                                        : bb(buffers.coupling, limits, buffers.bb, r);
  velocities_from_impulses(island, r, v);
  best.take(result, convex ? "apgd" : "bb");
}

MethodResult find_impulses(const Island& island, const Auto& options, MethodBuffers& buffers,
                           std::vector<double>& r, std::vector<double>& v) {
  Best best(island, buffers, r, v);
  if (best.value() <= rounding) return best.result(false);

  // 0. Joints alone are a linear system: one solve and its refinement. In a small island the bodies
  // are eliminated before any joint, which is safe where a body is held by more rows than it has
  // velocities (Newton's order, made for large ones, is not). Where redundant rows disagree by more
  // than rounding both end above it; a small island can afford the rest.
  const bool bilateral = std::all_of(island.groups.begin(), island.groups.end(),
                                     [](const Group& g) { return g.set.law == Law::equality; });
  if (bilateral && island.groups.size() <= small) {
    best.take(solve_joints(island, buffers.shares, r, v), "direct");
    if (best.value() <= rounding) return best.result(false);
  } else if (bilateral) {
    std::fill(r.begin(), r.end(), 0.0);
    best.take(
        newton(island, {.tolerance = options.tolerance, .aim = rounding}, buffers.newton, r, v),
        "newton");
    if (best.value() <= options.tolerance) return best.result(false);
  }

  // 1. The factor of a large packing is nearly dense: gradients.
  const bool packing =
      island.bodies.size() > 300 && island.groups.size() > 2 * island.bodies.size();
  if (packing) {
    descend(island, options, buffers, best, r, v);
    if (best.value() <= options.tolerance) return best.result(false);
  }

  // 2. A pile in the plane: a vertex of its linear complementarity problem.
  const bool linear = options.lemke_rows > 0 &&
                      std::all_of(island.groups.begin(), island.groups.end(), lemke_takes);
  LemkeLimits pivoting{.tolerance = options.tolerance,
                       .draws = 1,
                       .variables = options.lemke_rows,
                       .warm_pivots = 100};
  if (linear && is_planar_pile(island)) {
    for (const int sweeps : {20, 200}) {
      best.take(
          nsgs(island, {.tolerance = rounding, .sweeps = std::min(sweeps, options.max_sweeps)},
               buffers.nsgs, r, v),
          "nsgs");
      if (best.value() <= rounding) return best.result(false);
      best.take(lemke(island, pivoting, buffers.lemke, r, v), "lemke");
      if (best.value() <= options.tolerance) return best.result(sweeps > 20);
      pivoting.warm_pivots = 300;
    }
  }

  // 3. Who asks for few digits of a large island wants speed: from a warm start sweeps to the
  // tolerance, no more.
  const bool large = island.groups.size() > small;
  if (large && options.tolerance > loose && best.value() < 0.1 && !packing) {
    best.take(
        nsgs(island, {.tolerance = options.tolerance, .sweeps = std::min(60, options.max_sweeps)},
             buffers.nsgs, r, v),
        "nsgs");
    if (best.value() <= options.tolerance) return best.result(false);
  }

  // From far away alternating directions, which take stacks of any mass ratio near the answer on a
  // few factorisations; else a budget of sweeps, not of time: stiff islands gain nothing from more.
  if (best.value() > far && !packing && large) {
    buffers.coupling.attach(island);
    const IterationResult result =
        admm(buffers.coupling,
             {.tolerance = std::max(options.tolerance, 1e-8), .iterations = 200, .patience = 25},
             buffers.admm, r);
    velocities_from_impulses(island, r, v);
    best.take(result, "admm");
    // The next step, warm, takes it to rounding.
    if (best.value() <= options.tolerance) return best.result(false);
  } else {
    best.take(nsgs(island, {.tolerance = rounding, .sweeps = std::min(60, options.max_sweeps)},
                   buffers.nsgs, r, v),
              "nsgs");
  }
  if (best.value() <= rounding) return best.result(false);

  // 4. Newton from there; the interior point method first where the sweeps left it far away, and as
  // another start where Newton fails.
  const NewtonLimits limits{.tolerance = options.tolerance,
                            .aim = std::min(rounding, options.tolerance),
                            .factorisations = std::min(60, options.max_iterations)};
  bool tried_interior = false;
  auto interior = [&] {
    tried_interior = true;
    buffers.coupling.attach(island);
    const IterationResult result =
        ipm(buffers.coupling,
            {.tolerance = options.tolerance, .iterations = std::min(30, options.max_iterations)},
            buffers.ipm, r);
    velocities_from_impulses(island, r, v);
    best.take(result, "ipm");
  };
  if (best.value() > (large ? 1e-4 : far) && !packing) interior();
  // Near the answer a stiff penalty needs the fewest steps, further away it fails. (Small islands
  // end at a very stiff one anyway, and nearer to rounding from a soft start.)
  NewtonLimits first = limits;
  if (large) first.rho = std::clamp(0.03 / best.value(), 1e2, 1e5);
  best.take(newton(island, first, buffers.newton, r, v), "newton");
  if (best.value() <= options.tolerance) return best.result(false);
  if (!tried_interior && !packing) {
    interior();
    best.take(newton(island, limits, buffers.newton, r, v), "newton");
    if (best.value() <= options.tolerance) return best.result(true);
  }

  // 5. Pivoting from nowhere; Newton from its vertex.
  if (linear) {
    pivoting.draws = 12;
    best.take(lemke(island, pivoting, buffers.lemke, r, v), "lemke");
    if (best.value() <= options.tolerance) return best.result(true);
    best.take(newton(island, limits, buffers.newton, r, v), "newton");
    if (best.value() <= options.tolerance) return best.result(true);
  }

  // A packing whose warm start led astray: from nowhere again.
  if (packing) {
    best.begin_anew();
    descend(island, options, buffers, best, r, v);
    if (best.value() > options.tolerance)
      best.take(newton(island, limits, buffers.newton, r, v), "newton");
    best.end_anew();
    if (best.value() <= options.tolerance) return best.result(true);
  }

  // 6. Newton from rest, then long sweeps and all the factorisations allowed.
  std::fill(r.begin(), r.end(), 0.0);
  NewtonLimits patient = limits;
  patient.factorisations = options.max_iterations;
  patient.rho = 1e3;
  best.take(newton(island, patient, buffers.newton, r, v), "newton");
  if (best.value() <= options.tolerance) return best.result(true);
  best.take(nsgs(island, {.tolerance = options.tolerance, .sweeps = options.max_sweeps},
                 buffers.nsgs, r, v),
            "nsgs");
  if (best.value() <= options.tolerance) return best.result(true);
  best.take(newton(island, patient, buffers.newton, r, v), "newton");
  return best.result(true);
}

}  // namespace

MethodResult automatic(const Island& island, const Auto& options, MethodBuffers& buffers,
                       std::vector<double>& r, std::vector<double>& v) {
  MethodResult result = find_impulses(island, options, buffers, r, v);
  // Redundant joints share their load by the least impulses (E100).
  if (may_share(island, buffers.shares))
    share_least(island, std::max(4 * rounding, result.iteration.residual), buffers.shares, r, v);
  return result;
}

}  // namespace cairn
