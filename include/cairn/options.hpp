// Each option described once: the scene reader, --set, validation, the JSON Schema, the resolved
// scene and the option table of the docs are all visitors of describe(). A visitor has
//   number(key, double&, Range, unit, text)      integer(key, int& or uint64&, lo, hi, text)
//   boolean(key, bool&, text)                    choice(key, Enum&, span of names in the enum's
//   order, text)
#pragma once

#include <array>
#include <limits>
#include <span>

#include "cairn/scheme.hpp"
#include "cairn/solver.hpp"
#include "cairn/verdict.hpp"

namespace cairn {

struct Range {
  double lo = -std::numeric_limits<double>::infinity();
  double hi = std::numeric_limits<double>::infinity();
  bool lo_open = false;  // lo itself is not allowed
};

inline constexpr std::array restitution_names = {"completed", "delayed", "delayed_uncorrected"};
inline constexpr std::array energy_guard_names = {"off", "impact", "step"};
inline constexpr std::array active_set_names = {"complete", "distance", "speed"};
inline constexpr std::array trapezoidal_form_names = {"mean", "new"};
inline constexpr std::array event_detection_names = {"collisions", "all"};
inline constexpr std::array restitution_friction_names = {"total", "extra", "path"};
inline constexpr std::array propagation_names = {"simultaneous", "sequential"};
inline constexpr std::array impact_guard_names = {"off", "impact"};
inline constexpr std::array restitution_law_names = {"newton", "poisson", "stronge"};
inline constexpr std::array record_level_names = {"states", "contacts", "full"};
inline constexpr std::array penalty_form_names = {"implicit", "linearly_implicit", "explicit"};
using Names = std::span<const char* const>;

template <class Visitor>
void describe(Visitor& v, Euler& o) {
  v.number("gamma", o.gamma, Range{0, 2}, "-",
           "fraction of gap and joint error corrected in one step; 0: original scheme without "
           "stabilisation");
  v.number("separation_speed", o.separation_speed, Range{-1, 1e9}, "m/s",
           "upper bound on the speed at which overlaps separate; -1: free-fall speed over the "
           "radius of the smaller body");
  v.boolean("projection", o.projection,
            "moves the bodies onto their joints after each step, in the mass metric");
  v.boolean("project_contacts", o.project_contacts,
            "pushes overlapping bodies apart after each step, in the mass metric");
  v.boolean("nonlinear", o.nonlinear,
            "satisfies gaps and joints at the end of the step by a sequence of linearised solves, "
            "Anitescu 2003; false: one linearised solve");
  v.integer("facets", o.facets, 0, 64,
            "sides of the friction pyramid of spatial contacts; 0: exact cone");
  v.choice("restitution", o.restitution, Names(restitution_names),
           "completed within the step; or one step later as in Anitescu 2003; or without its "
           "correction");
  v.number("restitution_threshold", o.restitution_threshold, Range{-1, 1e9}, "m/s",
           "lowest approach speed with restitution; -1: 2 h times the free acceleration along the "
           "normal");
  v.choice("energy_guard", o.energy_guard, Names(energy_guard_names),
           "reduces restitution: never; so that an impact does not raise the kinetic energy; so "
           "that a step does not raise the total energy");
  v.choice("active_set", o.active_set, Names(active_set_names),
           "every pair that can meet within the step, verified; gap <= active_distance; gap <= "
           "active_factor h max |v|");
  v.number("active_distance", o.active_distance, Range{0, 1e9}, "m",
           "largest gap of an active pair under active_set distance");
  v.number("active_factor", o.active_factor, Range{0, 1e3}, "-",
           "factor on h max |v| under active_set speed");
  v.boolean("contact_filter", o.events.filter,
            "reduces coplanar contacts of a pair to the corners of their patch");
  v.number("eps_x", o.events.eps_x, Range{0, 0.1}, "-",
           "polyhedra: how far outside its face or edge a contact may lie, in outer radii of the "
           "smaller one");
  v.number("eps_t", o.events.eps_t, Range{0, 10}, "-",
           "polyhedra: how far beyond the reach of the step contacts are listed, likewise");
  v.number("eps_0", o.events.eps_0, Range{0, 1}, "-",
           "polyhedra: overlap up to which a direction still counts as separating, in inner radii "
           "of the smaller one");
  v.number("delta_max", o.events.delta_max, Range{0, 1}, "-",
           "polyhedra: sine of the angle below which two edges count as parallel");
  v.choice("restitution_friction", o.restitution_friction, Names(restitution_friction_names),
           "friction of an impact: bounded by mu times its whole normal impulse; or in "
           "decompression by mu times the part beyond the restitution; or along the path of the "
           "slip where one contact collides");
  v.choice("propagation", o.propagation, Names(propagation_names),
           "impacts of contacts that touch: all at once; or one after the other, the fastest "
           "first");
}

inline constexpr Range tolerance_range{0, 1, true};

template <class Visitor>
void describe(Visitor& v, Relaxed& o) {
  describe(v, o.step);
  v.integer("corrections", o.corrections, 0, 1000,
            "maximum number of convex problems per solve that correct towards exact Coulomb "
            "friction; 0: pure relaxation");
  v.number("correction_tolerance", o.correction_tolerance, tolerance_range, "-",
           "residual of exact Coulomb friction at or below which corrections end");
}

template <class Visitor>
void describe(Visitor& v, Trapezoidal& o) {
  v.choice(
      "form", o.form, Names(trapezoidal_form_names),
      "joints, contacts and friction on the mean of old and new velocities, Potra et al. 2006; "
      "on the new ones, of first order where the direction of slip turns");
  v.choice("events", o.events, Names(event_detection_names),
           "restarts the step at collisions; and where a contact begins to stick, to slide or to "
           "open");
  v.boolean("projection", o.projection,
            "moves the bodies onto their joints after each step, in the mass metric");
  v.boolean("damp_stiff", o.damp_stiff,
            "damps the alternation that springs and dampers too stiff for the step leave");
  v.number("gamma", o.gamma, Range{0, 1}, "-",
           "fraction of the gap of touching contacts corrected in one step; 0: none");
  v.choice("restitution_friction", o.restitution_friction, Names(restitution_friction_names),
           "bounds friction in the decompression of an impact by mu times its whole normal "
           "impulse; or by mu times the part beyond the restitution, Potra et al. 2006; or follows "
           "the path of the slip where one contact collides");
  v.number(
      "restitution_threshold", o.restitution_threshold, Range{-1, 1e9}, "m/s",
      "lowest approach speed with restitution; -1: h times the free acceleration along the normal");
  v.number("active_distance", o.active_distance, Range{-1, 1e9}, "m",
           "gap at which bodies touch; -1: 2^-30 of the model's size");
  v.number("active_rate", o.active_rate, Range{0, 1e9}, "m/s^3",
           "bodies touch up to a gap of active_rate h^3");
  v.integer("max_events", o.max_events, 1, 100000,
            "maximum number of events in a step; the rest of the step is then taken without "
            "events, which is reported");
  v.integer("facets", o.facets, 0, 64,
            "sides of the friction pyramid of spatial contacts; 0: exact cone");
  v.number("accuracy", o.accuracy, Range{0, 1e9}, "m",
           "error tolerance: a step is divided until its estimated error is below it, else it is "
           "rejected; 0: never divided");
  v.number("min_step", o.min_step, Range{-1, 1e9}, "s",
           "shortest part into which accuracy divides a step, events apart; -1: 2^-12 of the step");
  v.number("max_step", o.max_step, Range{-1, 1e9}, "s",
           "longest part into which accuracy divides a step; -1: the whole step");
  v.choice("propagation", o.propagation, Names(propagation_names),
           "impacts of contacts that touch: all at once; or one after the other, the fastest "
           "first");
  v.choice("energy_guard", o.energy_guard, Names(impact_guard_names),
           "reduces restitution: never; so that an impact does not raise the kinetic energy");
}

template <class Visitor>
void describe(Visitor& v, Hybrid& o) {
  v.boolean("steady", o.steady,
            "contacts with small rebounds become steady and are solved simultaneously, Son, "
            "Trinkle and Amato 2004; false: they keep bouncing in micro-collisions");
  v.number("switch_speed", o.switch_speed, Range{-1, 1e9}, "m/s",
           "rebound at or below which a contact becomes steady; -1: h times the free acceleration "
           "along the normal");
  v.number("hysteresis", o.hysteresis, Range{1, 1e3}, "-",
           "a steady contact bounces again where it is hit faster than this many switch speeds");
  v.boolean("nonlinear", o.nonlinear,
            "satisfies gaps of steady contacts and joints at the end of the step by a sequence of "
            "linearised solves; false: one linearised solve");
  v.boolean("projection", o.projection,
            "moves the bodies onto their joints after each step, in the mass metric");
  v.number("gamma", o.gamma, Range{0, 2}, "-",
           "fraction of overlap and joint error corrected in one step");
  v.integer("facets", o.facets, 0, 64,
            "sides of the friction pyramid of steady spatial contacts; 0: exact cone");
  v.integer("max_events", o.max_events, 1, 100000,
            "maximum number of impact times of one body in a step; the rest of the step is then "
            "taken without restitution, which is reported");
  v.integer("max_strikes", o.max_strikes, 1, 100000000,
            "maximum number of single-contact impacts at one time; contacts that still approach "
            "are then stopped simultaneously, without restitution");
}

template <class Visitor>
void describe(Visitor& v, Penalty& o) {
  v.choice("form", o.form, Names(penalty_form_names),
           "contact forces at the end of the step, Anitescu 2003; with the gap linearised at its "
           "beginning; at its beginning");
  v.number("gamma", o.gamma, Range{0, 1e30, true}, "N/m^b",
           "force of a contact over the power b of its overlap");
  v.number("exponent", o.exponent, Range{1, 10}, "-", "power of the overlap; 1.5: Hertz");
  v.integer("max_iterations", o.max_iterations, 1, 100000,
            "maximum number of Newton steps of an implicit form");
}

template <class Visitor>
void describe(Visitor& v, VerdictOptions& o) {
  v.boolean("split", o.split,
            "repeats a step that violates the limits on motion or energy in smaller parts; false: "
            "fixed steps as in the papers, judged by the same limits");
  v.integer("max_parts", o.max_parts, 1, 1000000,
            "maximum number of attempts at a step of a group of bodies; the step is then rejected");
  v.number("work", o.work, Range{0, 1e15}, "-",
           "work budget of a step with all parts and attempts, in products of 6 x 6 blocks per "
           "constraint, for at least 200 constraints; about 40 ns each; 0: unlimited");
  v.number("overlap", o.overlap, Range{0, 1e9}, "-",
           "maximum overlap of two shapes during and at the end of a step, relative to the smaller "
           "inner radius (half the least thickness)");
  v.number("joint", o.joint, Range{0, 1e9}, "-",
           "maximum joint error, relative to the smaller body: its radius or the distance of the "
           "anchor from its centre of mass");
  v.number("joint_angle", o.joint_angle, Range{0, 1e9}, "rad", "maximum misalignment of a joint");
  v.number("momentum", o.momentum, Range{0, 1e9}, "-",
           "maximum unexplained change of the momenta of bodies that touch nothing fixed, relative "
           "to these momenta");
  v.number("energy", o.energy, Range{0, 1e9}, "-",
           "maximum energy added by solver residual, projection or unexplained, relative to the "
           "energy that moves in the step");
  v.number("integrator", o.integrator, Range{0, 1e9}, "-",
           "maximum energy added or removed by the integrator in a step, likewise");
}

template <class Visitor>
void describe(Visitor& v, ForceOptions& o) {
  v.boolean("least_norm", o.least_norm,
            "exports, plots and player show and mark the least-norm contact forces with the same "
            "motion where forces are not unique; false: the solver's forces, without marks");
}

template <class Visitor>
void describe(Visitor& v, RecordOptions& o) {
  v.choice("level", o.level, Names(record_level_names),
           "what a recording holds: figures and rounded poses, which `cairn check` cannot judge; "
           "everything, packed without loss; everything as plain numbers");
  v.integer("every", o.every, 1, 1000000000,
            "steps from one frame of that level to the next; steps between are recorded at level "
            "`states`, rejected steps always at the given level");
  v.number("interval", o.interval, Range{0, 1e9}, "s",
           "the same as a time: a frame where t passes a multiple of it; 0: none");
  v.integer("exact_every", o.exact_every, 1, 1000000000,
            "level `states`: steps from one bit-exact state to the next");
  v.number("resolution", o.resolution, Range{0, 1e9}, "m",
           "level `states`: grid of the positions; 0: 2^-20 of the model's unit of length, a power "
           "of two near its largest size");
}

template <class Visitor>
void describe(Visitor& v, Auto& o) {
  v.number("tolerance", o.tolerance, tolerance_range, "-",
           "scaled residual at or below which a solve is certified");
  v.integer("max_sweeps", o.max_sweeps, 1, 100000000,
            "maximum number of Gauss-Seidel sweeps per island; where all other methods fail, a "
            "hundred times as many gradient steps");
  v.integer("max_iterations", o.max_iterations, 1, 1000000,
            "maximum number of factorisations per island and method; where all other methods fail, "
            "four times as many");
  v.integer("lemke_rows", o.lemke_rows, 0, 20000,
            "largest complementarity problem solved by Lemke's method [rows]; 0: never");
}

template <class Visitor>
void describe(Visitor& v, Nsgs& o) {
  v.number("tolerance", o.tolerance, tolerance_range, "-",
           "scaled residual at or below which a solve is certified");
  v.integer("max_sweeps", o.max_sweeps, 1, 100000000, "maximum number of sweeps per island");
  v.boolean("accelerate", o.accelerate, "nonlinear conjugate gradient acceleration");
}

template <class Visitor>
void describe(Visitor& v, Newton& o) {
  v.number("tolerance", o.tolerance, tolerance_range, "-",
           "scaled residual at or below which a solve is certified");
  v.integer("max_iterations", o.max_iterations, 1, 1000000,
            "maximum number of factorisations per island");
}

template <class Visitor>
void describe(Visitor& v, Lemke& o) {
  v.number("tolerance", o.tolerance, tolerance_range, "-",
           "scaled residual at or below which a solve is certified");
  v.integer("max_pivots", o.max_pivots, 1, 100000000,
            "maximum number of pivots per covering vector");
  v.integer("draws", o.draws, 1, 1000, "covering vectors tried before giving up");
  v.integer("seed", o.seed, 0, 9007199254740991, "of the covering vector");
}

template <class Visitor>
void describe(Visitor& v, Admm& o) {
  v.number("tolerance", o.tolerance, tolerance_range, "-",
           "scaled residual at or below which a solve is certified");
  v.integer("max_iterations", o.max_iterations, 1, 100000000, "iterations per island at the most");
}

template <class Visitor>
void describe(Visitor& v, Ipm& o) {
  v.number("tolerance", o.tolerance, tolerance_range, "-",
           "scaled residual at or below which a solve is certified");
  v.integer("max_iterations", o.max_iterations, 1, 1000000,
            "interior point iterations per island at the most");
  v.boolean("polish", o.polish,
            "hands over to newton where the interior point method ends above the tolerance");
}

template <class Visitor>
void describe(Visitor& v, Apgd& o) {
  v.number("tolerance", o.tolerance, tolerance_range, "-",
           "scaled residual at or below which a solve is certified");
  v.integer("max_iterations", o.max_iterations, 1, 100000000, "iterations per island at the most");
  v.integer("refresh", o.refresh, 1, 1000000,
            "iterations from one update of the slip bounds to the next");
}

template <class Visitor>
void describe(Visitor& v, Bb& o) {
  v.number("tolerance", o.tolerance, tolerance_range, "-",
           "scaled residual at or below which a solve is certified");
  v.integer("max_iterations", o.max_iterations, 1, 100000000, "iterations per island at the most");
  v.integer("refresh", o.refresh, 1, 1000000,
            "iterations from one update of the slip bounds to the next");
}

}  // namespace cairn
