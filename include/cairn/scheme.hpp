// Time-stepping schemes as options.
#pragma once

#include <cstdint>
#include <string>
#include <variant>

#include "cairn/error.hpp"

namespace cairn {

enum class Restitution : std::uint8_t {
  completed,  // inside the step (default)
  delayed,    // Anitescu 2003 (4.10): one step later, with the velocity before the contact step
  delayed_uncorrected,  // the formula the paper warns of: one step later, with the velocity of the
                        // contact step
};
enum class EnergyGuard : std::uint8_t {
  off,
  impact,  // the impact does not raise the kinetic energy
  step,    // kinetic plus potential energy do not rise over the step beyond the work done on the
           // system
};
enum class RestitutionFriction : std::uint8_t {
  total,  // friction bounded by mu times the whole normal impulse; in decompression
          // mu (c_x + e c_c): Poisson's law (E174)
  extra,  // in decompression by mu c_x, as Potra et al. 2006 (78) print it
  path,   // follows the slip over the impact where one contact collides (E222); else total
};
enum class Propagation : std::uint8_t {
  simultaneous,  // all contacts that touch at once
  sequential,    // one contact after the other, the fastest first (E226)
};
enum class ActiveSet : std::uint8_t {
  complete,  // every pair that can meet within the step, verified after the solve
  distance,  // Anitescu 2003: gap <= eps
  speed,     // Anitescu 2003: gap <= f h max |v|
};

// Events of polyhedra, Hart 2007; lengths are relative to the bodies.
struct EventOptions {
  bool filter = true;      // keep only the corners of contact patches (E145)
  double eps_x = 1e-7;     // how far outside its features an event may lie, of the smaller outer
                           // radius [-]
  double eps_t = 1e-4;     // how far beyond the reach of the step events are listed, likewise [-]
  double eps_0 = 1e-3;     // overlap up to which a direction counts as separating, of the smaller
                           // inner radius [-]
  double delta_max = 0.1;  // sine of the angle below which two edges count as parallel: the event's
                           // normal is then that of the faces beside them [-]
};

struct Euler {             // Anitescu 2003; Anitescu and Hart 2004
  bool projection = true;  // move the bodies onto their joints after each step, in the mass metric
  bool project_contacts = false;  // push overlapping bodies apart after each step, likewise
  double gamma =
      1;  // share of gap and joint error corrected per step; 0: the unstabilised original [-]
  double separation_speed =
      -1;  // fastest opening of an overlap [m/s]; negative: from gravity and size, (E31)
  bool nonlinear = false;  // gaps and joints hold at the end of the step, not their linearisation
  int facets = 0;          // sides of the friction pyramid in space; 0: exact cone
  Restitution restitution = Restitution::completed;
  double restitution_threshold =
      -1;  // TOL of (4.10) [m/s]; negative: 2 h times the free acceleration along the normal
  EnergyGuard energy_guard = EnergyGuard::impact;
  ActiveSet active_set = ActiveSet::complete;
  double active_distance = 0.1;  // eps of active_set distance [m]
  double active_factor = 1;      // f of active_set speed [-]
  EventOptions events = {};
  RestitutionFriction restitution_friction = RestitutionFriction::total;
  Propagation propagation = Propagation::simultaneous;
};

// Anitescu and Hart 2004; Hart 2007: the step of `euler` under the convex relaxation of Coulomb's
// law (E90): what slides with |w_T| lifts with mu |w_T|. Restitution comes one step later, so that
// a step is one convex problem.
struct Relaxed {
  Euler step = {.restitution = Restitution::delayed};
  int corrections = 0;  // problems per solve at the most that lead towards exact friction (E92)
  double correction_tolerance = 1e-8;  // residual of Coulomb's law that needs no correction [-]
};

enum class TrapezoidalForm : std::uint8_t {
  mean,  // Potra et al. 2006 (68): joints, contacts and friction on (v + v+)/2
  next,  // (70): on v+; named "new"
};
enum class EventDetection : std::uint8_t {
  collisions,  // the step restarts at collisions alone
  all,         // and where a contact begins to stick, to slide or to open
};

// Potra et al. 2006: the linearly implicit trapezoidal rule with events, second order.
struct Trapezoidal {
  TrapezoidalForm form = TrapezoidalForm::mean;
  EventDetection events = EventDetection::all;
  bool projection = true;   // move the bodies onto their joints after each step
  bool damp_stiff = false;  // damp what springs and dampers too stiff for h leave alternating
  double gamma = 1;         // share of the gap of touching contacts corrected per step [-]
  RestitutionFriction restitution_friction = RestitutionFriction::total;
  double restitution_threshold =
      -1;  // slowest approach that bounces [m/s]; negative: h times the free acceleration
  double active_distance = -1;  // eps_a of (72) [m]; negative: 2^-30 of the model's size
  double active_rate = 0;       // eps_b of (72) [m/s^3]
  int max_events = 32;          // of a step, before the rest of it is taken without (E177)
  int facets = 0;               // sides of the friction pyramid in space; 0: exact cone
  double accuracy = 0;          // error of a step to reach by dividing it [m]; 0: fixed step
  double min_step = -1;         // shortest part of a divided step [s]; negative: 2^-12 of the step
  double max_step = -1;         // longest part [s]; negative: the step
  Propagation propagation = Propagation::simultaneous;
  EnergyGuard energy_guard = EnergyGuard::impact;  // off or impact
};

// Son, Trinkle and Amato 2004: bouncing contacts by impulse integration between exact flights,
// steady ones by a complementarity problem without restitution.
struct Hybrid {
  bool steady = true;        // false: contacts keep bouncing in micro-collisions (Mirtich alone)
  double switch_speed = -1;  // rebound at or below which a contact becomes steady [m/s]; negative:
                             // h times the free acceleration along the normal
  double hysteresis = 2;     // a steady contact bounces again above this many switch speeds [-]
  bool nonlinear = true;     // gaps and joints of steady contacts hold at the end of the step
  bool projection = true;    // move the bodies onto their joints after each step
  double gamma = 1;          // share of overlap and joint error corrected per step [-]
  int facets = 0;            // sides of the friction pyramid of steady contacts; 0: exact cone
  int max_events = 64;       // moments of a step in which one body is hit, then no more (E217)
  int max_strikes = 10000;   // impacts of single contacts at one moment
};

enum class PenaltyForm : std::uint8_t {
  implicit,           // Anitescu 2003 (2.4): force and direction at the end of the step
  linearly_implicit,  // (2.8): the gap linearised at the beginning, the direction from there
  explicit_,          // force and direction at the beginning; named "explicit"
};

// Anitescu 2003, section II: contacts are springs gamma Phi_-^b, bodies overlap, nothing is lost in
// an impact. For the study of its stiff limits, which are `euler` with `nonlinear` and without.
struct Penalty {
  PenaltyForm form = PenaltyForm::implicit;
  double gamma = 1e6;       // [N/m^b]
  double exponent = 1.5;    // b of (2.2); 3/2: Hertz [-]
  int max_iterations = 60;  // Newton steps of an implicit form
};

using SchemeOptions = std::variant<Euler, Relaxed, Trapezoidal, Hybrid, Penalty>;
const char* name(const SchemeOptions& options);

// Whether the scheme takes all that the model has; if not, says what it is and why.
struct Model;
Result<void> accepts(const SchemeOptions& options, const Model& model);

// The options of the Euler step that a scheme takes; null for schemes of another kind.
const Euler* euler_options(const SchemeOptions& options);

}  // namespace cairn
