#include "solver/auto/automatic.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>

#include "solver/auto/attempts.hpp"

namespace cairn::solver {
namespace {

constexpr double rounding = Attempts::rounding;

// Newton takes islands up to this many groups to rounding, and is quicker there than pivoting.
constexpr std::size_t small_island = 32;

// A tolerance above this one asks for speed.
constexpr double loose = 1e-6;

// Gradient steps for each sweep that is allowed: one costs a third of a sweep. Some before springs
// take over, many where nothing else gets there; factorisations likewise.
constexpr int gradients_first = 5, patient_gradients = 100, springs_last = 4;

// Where springs have failed on a packing, no other method has got below this.
constexpr double stalled_residual = 1e-5;

// Below this residual the impulses of the last step are those of this one, changed a little.
constexpr double near = 1e-6;

// Contacts that press against each other, one after the other (E681).
constexpr int most_strides = 40;

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
  return contacts > small_island;
}

// What decides which methods are tried, and in which order.
struct Kind {
  bool bilateral = true;  // joints alone
  bool convex = true;     // no exact friction
  bool linear = true;     // a linear complementarity problem that Lemke may have
  bool plain = true;      // the mass is block diagonal and symmetric
  bool planar_pile = false;
  bool packing = false;  // its factor is nearly dense
  bool patches = false;  // bodies meet in several contacts at once
  bool large = false;    // rounding is not aimed at in the first step
};

Kind kind_of(const Island& island, const Auto& options) {
  Kind kind;
  kind.linear = options.lemke_rows > 0;
  for (const Group& g : island.groups) {
    kind.bilateral = kind.bilateral && g.set.law == Law::equality;
    kind.convex = kind.convex && !(g.set.law == Law::coulomb && g.set.mu > 0);
    kind.linear = kind.linear && lemke_takes(g);
  }
  kind.planar_pile = kind.linear && is_planar_pile(island);
  kind.patches = island.groups.size() > 4 * island.bodies.size();
  kind.large = island.groups.size() > small_island;
  // Few digits of contacts at points are found sooner by gradients than by factorisations.
  const bool hasty = options.tolerance > loose && kind.large && !kind.patches;
  kind.packing =
      hasty || (island.bodies.size() > 300 && island.groups.size() > 2 * island.bodies.size());
  kind.plain = island.inertia.rest.empty();
  return kind;
}

NewtonLimits newton_limits(const Auto& options) {
  return {.tolerance = options.tolerance,
          .aim = std::min(rounding, options.tolerance),
          .factorisations = std::min(60, options.max_iterations)};
}

LemkeLimits pivots(const Auto& options, int draws, int warm_pivots) {
  return {.tolerance = options.tolerance,
          .draws = draws,
          .variables = options.lemke_rows,
          .warm_pivots = warm_pivots};
}

// The stages below return true where the island is done.

// The impulses at the start are strictly inside their cones: nothing slid.
bool nothing_slides(const Island& island, const std::vector<double>& r) {
  constexpr double inside = 1 - 1e-9;
  for (const Group& g : island.groups) {
    if (!has_cone(g.set.law) || g.set.mu == 0) continue;
    const double* r_i = r.data() + g.first;
    const double along = std::hypot(r_i[1], g.rows > 2 ? r_i[2] : 0);
    if (along > 0 && !(along < inside * g.set.mu * r_i[0])) return false;
  }
  return true;
}

// Joints alone are a linear system: one solve and its refinement. In a small island the bodies are
// eliminated before any joint, which is safe where a body is held by more rows than it has
// velocities (Newton's order, made for large ones, is not). Where redundant rows disagree by more
// than rounding both end above it; a small island can afford the rest.
bool joints_alone(Attempts& a, const Kind& kind) {
  if (!kind.large && kind.plain) {
    a.direct();
    return a.exact();
  }
  a.start_from_zero();
  a.newton({.tolerance = a.options.tolerance, .aim = rounding});
  return a.good();
}

// Perhaps nothing slides: nothing is known of the island, or nothing slid in the step before.
bool rest(Attempts& a, const Kind& kind) {
  a.hold();
  return a.exact() || (kind.large && a.good() && a.value() <= 1e-12);
}

// Nothing slid in the step before: its impulses, corrected to rounding (E1020).
bool rest_on(Attempts& a, const Kind& kind) {
  a.hold_on();
  return a.exact() || (kind.large && a.value() <= 1e-12);
}

// A large island near its answer: perhaps nothing slides.
bool rest_from_near(Attempts& a) {
  a.hold();
  return a.good() && a.value() <= 1e-12;
}

// A packing. Gradients in its own layout are the quickest where each pair of bodies meets in a
// point, as spheres do, and under a convex law. Elsewhere sweeps are, from nowhere and for the
// first digits, and gradients for the next.
bool descend(Attempts& a, const Kind& kind) {
  const bool packed = a.packs();
  const auto gradients = [&] {
    packed ? a.packed_gradients(kind.convex, a.options.max_sweeps) : a.gradients(kind.convex);
  };
  if (packed && (kind.convex || !kind.patches)) gradients();
  if (a.good()) return true;
  const bool nowhere = a.value() > 0.1 && !kind.convex;
  a.sweep(nowhere ? a.options.max_sweeps : 40, a.options.tolerance, true);
  if (!a.good()) gradients();
  return a.good();
}

// Spectral steps in one go, so many times max_sweeps of them.
bool go_on(Attempts& a, const Kind& kind, int times) {
  if (kind.convex || !kind.large || !a.packs()) return false;
  a.packed_gradients(false, static_cast<int>(std::min<std::int64_t>(
                                std::int64_t{times} * a.options.max_sweeps, 1 << 30)));
  return a.good();
}

// The last digits of a packing with exact friction: along springs that are made stiffer, from where
// the gradients stall (docs/solver-speed.md).
bool stiffen(Attempts& a, const Kind& kind, int times) {
  if (kind.convex || !kind.large) return false;
  a.proximal_path(static_cast<int>(
      std::min<std::int64_t>(std::int64_t{times} * a.options.max_iterations, 1 << 30)));
  return a.good();
}

// Both, and both again with more patience.
bool last_digits(Attempts& a, const Kind& kind) {
  return go_on(a, kind, gradients_first) || stiffen(a, kind, 1) ||
         go_on(a, kind, patient_gradients) || stiffen(a, kind, springs_last);
}

// A pile in the plane: a vertex of its linear complementarity problem, from the basis that sweeps
// suggest.
bool pivot_from_sweeps(Attempts& a, int sweeps, int warm_pivots) {
  a.sweep(sweeps, rounding);
  if (!a.exact()) a.lemke(pivots(a.options, 1, warm_pivots));
  return a.good();
}

// Towards the answer: who asks for few digits of a large island wants speed, from a warm start
// sweeps to the tolerance and no more. From far away alternating directions, which take stacks of
// any mass ratio near the answer on a few factorisations (the next step, warm, takes it to
// rounding); else a budget of sweeps, not of time: stiff islands gain nothing from more.
bool approach(Attempts& a, const Kind& kind) {
  const bool factors = kind.large && !kind.packing;
  if (factors && a.options.tolerance > loose && a.value() < 0.1) {
    a.sweep(60, a.options.tolerance);
    if (a.good()) return true;
  }
  if (factors && a.value() > far) {
    a.admm({.tolerance = std::max(a.options.tolerance, 1e-8), .iterations = 200, .patience = 25});
    return a.good();
  }
  a.sweep(60, rounding);
  return a.exact();
}

void interior(Attempts& a) {
  a.ipm({.tolerance = a.options.tolerance, .iterations = std::min(30, a.options.max_iterations)});
}

// Newton from there, after the interior point method where that is far away. Near the answer a
// stiff penalty needs the fewest steps, further away it fails. (Small islands end at a very stiff
// one anyway, and nearer to rounding from a soft start.)
bool polish(Attempts& a, const Kind& kind) {
  if (a.value() > (kind.large ? 1e-4 : far) && !kind.packing) interior(a);
  NewtonLimits limits = newton_limits(a.options);
  if (kind.large) limits.rho = std::clamp(0.03 / a.value(), 1e2, 1e5);
  a.newton(limits);
  return a.good();
}

// Where Newton's method has stalled: with other penalties, more steps and strides, from the best
// impulses.
bool polish_again(Attempts& a, const Kind& kind) {
  if (kind.packing) return false;
  NewtonLimits limits = newton_limits(a.options);
  limits.strides = most_strides;
  for (const double rho : {1e4, 1e2, 1e6, 1e7}) {
    limits.rho = rho;
    // Strides take some steps each, a hundredth of the work of pyramids in all.
    const bool many = rho > 1e5 || rho == 1e4;
    if (!kind.large || many) limits.factorisations = a.options.max_iterations;
    a.newton(limits);
    if (a.good()) return true;
  }
  return false;
}

// The same under a convex law: accelerated gradients always gain, and so do sweeps.
bool polish_from_gradients(Attempts& a, const Kind& kind) {
  if (kind.packing || !kind.convex || !kind.plain) return false;
  a.packs() ? a.packed_gradients(true, a.options.max_sweeps) : a.gradients(true);
  if (a.good() || polish_again(a, kind)) return true;
  a.sweep(a.options.max_sweeps / 4, a.options.tolerance);
  return a.good() || polish_again(a, kind);
}

// Contacts that press against each other.
bool stride(Attempts& a, const Kind& kind) {
  if (kind.large || a.value() > far) return false;
  a.strides(rounding);
  return a.good();
}

bool polish_from_interior(Attempts& a) {
  interior(a);
  a.newton(newton_limits(a.options));
  return a.good();
}

// Pivoting from nowhere; Newton from its vertex.
bool pivot_from_nowhere(Attempts& a, int warm_pivots) {
  a.lemke(pivots(a.options, 12, warm_pivots));
  if (!a.good()) a.newton(newton_limits(a.options));
  return a.good();
}

// A small island with exact cones in space: redundant contacts that neither descent nor Newton
// from where it ended can solve.
bool pivot_on_pyramids(Attempts& a) {
  const PyramidLimits limits{.tolerance = a.options.tolerance, .variables = a.options.lemke_rows};
  if (a.pyramids_take(limits)) a.pyramids(limits);
  return a.good();
}

// The curve of answers of the rounded laws, from the easy end.
bool follow_path(Attempts& a) {
  a.central_path({.tolerance = a.options.tolerance});
  return a.good();
}

// A warm start that led astray: as if there had been none.
bool approach_from_nowhere(Attempts& a, const Kind& kind) {
  a.begin_anew();
  if (!approach(a, kind)) polish(a, kind);
  a.end_anew();
  return a.good();
}

// The same for a packing.
bool descend_from_nowhere(Attempts& a, const Kind& kind) {
  a.begin_anew();
  if (!descend(a, kind)) a.newton(newton_limits(a.options));
  a.end_anew();
  return a.good();
}

// Newton from rest, then long sweeps and all the factorisations allowed.
void exhaust(Attempts& a) {
  NewtonLimits patient = newton_limits(a.options);
  patient.factorisations = a.options.max_iterations;
  patient.rho = 1e3;
  a.start_from_zero();
  a.newton(patient);
  if (!a.good()) a.sweep(a.options.max_sweeps, a.options.tolerance);
  if (!a.good()) a.newton(patient);
}

MethodResult find_impulses(const Island& island, const Auto& options, MethodBuffers& buffers,
                           std::vector<double>& r, std::vector<double>& v) {
  const Kind kind = kind_of(island, options);
  const bool was_warm = std::any_of(r.begin(), r.end(), [](double x) { return x != 0; });
  const bool may_rest = !was_warm && !kind.packing, closes = island.velocity_scale > 0;
  const bool rested = was_warm && !kind.packing && !island.tied && nothing_slides(island, r);
  const bool rests_first = (may_rest || (rested && !kind.large)) && !kind.bilateral && closes;
  const bool stays = was_warm && !kind.packing && !kind.bilateral && !island.tied && closes &&
                     !may_share(island, buffers.shares);
  Attempts a(island, options, !rests_first && !stays, buffers, r, v);
  if (stays && !island.interrupted() && rest_on(a, kind)) return a.result(false);
  if (stays && !rests_first) a.judge_start();
  if (rests_first && !island.interrupted() && rest(a, kind)) return a.result(false);
  // Impulses of the last step that are good enough are not exact: what rests is solved again.
  const bool rests_on = rested && kind.large && !kind.bilateral && closes && a.value() < near;
  if (rests_on && rest_from_near(a)) return a.result(false);
  if (a.exact()) return a.result(false);
  if (kind.bilateral && joints_alone(a, kind)) return a.result(false);
  if (kind.packing && descend(a, kind)) return a.result(false);
  if (kind.packing && (last_digits(a, kind) || (!kind.convex && a.value() < stalled_residual)))
    return a.result(true);
  if (may_rest && !rests_first && rest(a, kind)) return a.result(false);
  if (kind.large && !kind.packing && was_warm && !rests_on && a.value() < near && rest_from_near(a))
    return a.result(false);
  if (kind.planar_pile && pivot_from_sweeps(a, 20, 100)) return a.result(false);
  if (kind.planar_pile && pivot_from_sweeps(a, 200, 300)) return a.result(true);
  if (approach(a, kind) || polish(a, kind)) return a.result(false);
  if (stride(a, kind)) return a.result(false);
  // Other starts.
  if (polish_again(a, kind)) return a.result(true);
  if (!a.tried_interior() && !kind.packing && polish_from_interior(a)) return a.result(true);
  if (polish_from_gradients(a, kind)) return a.result(true);
  if (kind.linear && pivot_from_nowhere(a, kind.planar_pile ? 300 : 100)) return a.result(true);
  if (kind.packing && descend_from_nowhere(a, kind)) return a.result(true);
  // By work: springs and spectral steps take a hundredth of pyramids and of the central path.
  if (!kind.packing &&
      (stiffen(a, kind, 1) || go_on(a, kind, gradients_first) || stiffen(a, kind, springs_last)))
    return a.result(true);
  if (!kind.packing && was_warm && approach_from_nowhere(a, kind)) return a.result(true);
  if (!kind.packing && pivot_on_pyramids(a)) return a.result(true);
  if (!kind.packing && !kind.large && follow_path(a)) return a.result(true);
  if (!kind.packing && last_digits(a, kind)) return a.result(true);
  exhaust(a);
  // The work of the central path grows with the third power of the size.
  if (!kind.packing && kind.large && !a.good()) follow_path(a);
  return a.result(true);
}

}  // namespace

HoldOnBuffers& kept_factor(MethodBuffers& buffers) {
  constexpr std::size_t most = 64;
  const std::size_t place = std::min(buffers.island, most - 1);
  if (buffers.held_on.size() <= place) buffers.held_on.resize(place + 1);
  return buffers.held_on[place];
}

MethodResult automatic(const Island& island, const Auto& options, MethodBuffers& buffers,
                       std::vector<double>& r, std::vector<double>& v) {
  MethodResult result = find_impulses(island, options, buffers, r, v);
  // Redundant joints share their load by the least impulses (E100).
  if (!may_share(island, buffers.shares) || island.interrupted()) return result;
  const double found = result.iteration.residual;
  const Sharing shared =
      share_least(island, std::max(16 * rounding, 1.01 * found), buffers.shares, r, v);
  if (shared == Sharing::near) {
    // A few steps from there do not bring the self-stress back (E682).
    const NewtonLimits limits{.tolerance = options.tolerance,
                              .aim = std::min(rounding, options.tolerance),
                              .factorisations = 20,
                              .rho = 1e4};
    const IterationResult polished = newton(island, limits, buffers.newton, r, v);
    result.iteration.iterations += polished.iterations;
    if (!(polished.residual <= std::max(found, options.tolerance))) {
      r = buffers.shares.kept;
      velocities_from_impulses(island, r, v);
    }
  }
  return result;
}

}  // namespace cairn::solver
