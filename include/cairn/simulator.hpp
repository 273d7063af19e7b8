// Simulator: a model, a state, a scheme and a solver; step() advances the state and reports on it.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <vector>

#include "cairn/model.hpp"
#include "cairn/scheme.hpp"
#include "cairn/solver.hpp"
#include "cairn/state.hpp"
#include "cairn/step/solve_log.hpp"
#include "cairn/step_figures.hpp"
#include "cairn/verdict.hpp"

namespace cairn {

// Energies of one step [J]: kinetic_end + potential_end = kinetic_start + potential_start +
// work_applied + work_motion
// - friction - impact + stabilisation + integrator + solver + passive, to rounding
// (docs/equations.md, E20 to E24).
struct Ledger {
  double kinetic_start = 0, potential_start = 0;
  double kinetic_end = 0, potential_end = 0;
  double work_applied = 0;   // of applied and external forces
  double work_motion = 0;    // of bodies with prescribed motion on the free ones
  double friction = 0;       // dissipated by friction, >= 0
  double impact = 0;         // lost in impacts
  double stabilisation = 0;  // put in by the correction of gaps and joint errors
  double integrator = 0;     // the scheme's own term
  double solver = 0;         // what the solver's residual does: lambda . w where the law says zero
  double passive = 0;        // put in by dampers, <= 0 (E361)

  double rise() const {  // of the total energy beyond the work done on the system
    return kinetic_end + potential_end - kinetic_start - potential_start - work_applied -
           work_motion;
  }
  double imbalance() const {
    return rise() + friction + impact - stabilisation - integrator - solver - passive;
  }
};

enum class ContactMode : std::uint8_t { open, stick, slip };

struct ContactReport {
  Contact contact;              // geometry where its rows were taken: at the beginning of the step,
                                // with option nonlinear near its end
  Vec3 impulse = Vec3::Zero();  // along n, t1, t2, on body b [N s]; force = impulse / h
  Vec3 velocity =
      Vec3::Zero();  // of b relative to a at the contact, along n, t1, t2, at the end [m/s]
  Vec3 torque = Vec3::Zero();  // of torsional and rolling friction, about n, t1, t2, on b [N m s]
  ContactMode mode = ContactMode::open;
  bool colliding = false;  // restitution was applied in this step
};

// What a joint did in a step (E762). Planar mechanisms have no force out of their plane and no
// torque in it.
struct JointReport {
  double position = 0;         // coordinate at the end, 0 at the start of the run; revolute [rad],
                               // prismatic [m], others have none
  double velocity = 0;         // of it, at the end [rad/s], [m/s]
  Vec3 force = Vec3::Zero();   // reaction on the second body at its anchor, in the world: mean of
                               // the last part of the step that has no impact [N]
  Vec3 torque = Vec3::Zero();  // reaction on the second body about the anchor [N m]
  // Efforts along the coordinate [N m], [N]:
  double limit = 0;     // of the limits, > 0 from the lower one
  double drive = 0;     // of the motor
  double friction = 0;  // of dry friction
  double spring = 0;    // of spring and damper
};

// Something that happened inside a step of scheme `trapezoidal` or `hybrid` and at which it
// restarted.
struct StepEvent {
  enum class Kind : std::uint8_t {
    collision,
    stick,     // a sliding contact comes to rest
    slip,      // a sticking one begins to slide
    take_off,  // a contact that pressed opens
    limit,     // events accumulate: the rest of the step is taken without them (E177, E217)
    facet,     // a sliding contact changes the vertices of its friction polygon (E185)
    steady,    // scheme hybrid: a bouncing contact becomes steady
  } kind = Kind::collision;
  double t = 0;        // [s]
  ContactKey contact;  // kind limit: of the event before it
  double speed = 0;    // collision: relative normal velocity before it, < 0 [m/s]
};

// The energy of one contact that collided (E228). Contacts of one group collided together: they
// share the energies of the group,
//   kinetic_after = kinetic_before + sum over its contacts (put_in - lost_restitution -
//   lost_friction) + other.
struct ImpactReport {
  ContactKey contact;
  double t = 0;         // [s]; of schemes without events: the end of the step
  double approach = 0;  // relative normal velocity before, < 0 [m/s]
  double rebound = 0;   // and after [m/s]
  RestitutionLaw law = RestitutionLaw::newton;
  double restitution = 0;       // e that the material asks for [-]
  double lost_restitution = 0;  // work that the normal impulse took, >= 0 [J]
  double lost_friction = 0;     // work that friction took, >= 0 [J]
  double put_in = 0;            // work that the impulse put in, >= 0 [J]
  int group = 0;                // of the step
  double kinetic_before = 0;    // of all bodies of the group [J]
  double kinetic_after = 0;     // [J]
  double other = 0;             // work of joints, of contacts that did not approach and of the
                                // forces of the step on the group [J]
  double guard = 0;             // what the energy guard took from the group, >= 0 [J]
};

enum class StepStatus : std::uint8_t {
  certified,
  uncertified,
  stopped,
  interrupted,     // the caller asked for an end inside the step: it is not taken
  internal_error,  // a check of the program failed, a fault of ours: the step is not taken
};

// Why a step was not taken. Programs rely on these names; the wording of `message` may change.
enum class StopReason : std::uint8_t {
  none,
  not_finite,       // a force, a velocity or a prescribed pose is not finite
  energy_overflow,  // the velocities are finite, the energy is not
  missing_contact,  // two shapes meet for which no contact function exists
  contradiction,    // joints contradict each other
  open_joints,      // the projection could not close joints that could be closed
  too_stiff,        // a spring or damper is too stiff for the step
  unstable,         // an explicit spring of a contact is unstable at this step
  unsupported,      // the scheme or the solver does not take the model
  passes_through,   // a body would be carried through another one, in however short a part
  interrupted,      // asked for by the caller
  out_of_memory,    // the memory of the machine does not suffice
  internal_error,   // a check of the program failed
};
const char* name(StopReason reason);

// A part of a divided step (E308). The parts of a group of bodies follow each other in time; the
// last one ends with the step. Groups that were not divided have one part of the length of the
// step.
struct StepPart {
  double t = 0;                // at the beginning [s]
  double length = 0;           // [s]
  std::vector<BodyId> bodies;  // dynamic bodies of the group, sorted
  int first_solve = 0;         // index into StepReport::solves
  int solves = 0;              // their number
  std::vector<Pose> poses;     // of these bodies at the end
  VecX v;                      // of these bodies at the end, body by body [m/s, rad/s]
  bool first_order = false;    // schemes with events: taken by a step of `euler`
};

struct StepReport : StepFigures {
  StepStatus status = StepStatus::certified;
  StopReason reason = StopReason::none;
  std::string message;                  // why it was not taken; empty otherwise
  std::int64_t step = 0;                // number of the step, the first is 1
  double t = 0, h = 0;                  // time at the end, length [s]
  std::vector<ContactReport> contacts;  // candidates of the last solve, sorted by key
  int candidates = 0;   // contacts of a step read from a recording that does not hold them; else 0
  SolveLog solves;      // in the order of solving; the last one gives the velocities
  int worst_solve = 0;  // the solve that `certificate` comes from
  Ledger ledger;
  Verdict verdict;
  std::vector<StepPart> divided;      // empty: the step was taken as a whole
  std::vector<StepEvent> events;      // trapezoidal and hybrid, in the order of time
  std::vector<ImpactReport> impacts;  // in the order of time
  std::vector<JointReport> joints;    // beside Model::joints; of a step that was taken
  Controls controls;                  // that acted on it
  struct Seconds {
    double detect = 0, solve = 0, total = 0;  // CPU time [s], filled by a simulator with a clock
    struct Checks {  // of the verdict, all attempts together; residuals are part of `solve` [s]
      double overlap = 0, sweep = 0, prescribed = 0, joints = 0, momentum = 0, energy = 0;

      double total() const { return overlap + sweep + prescribed + joints + momentum + energy; }
      Checks& operator+=(const Checks& other) {
        overlap += other.overlap;
        sweep += other.sweep;
        prescribed += other.prescribed;
        joints += other.joints;
        momentum += other.momentum;
        energy += other.energy;
        return *this;
      }
    } checks;
  } seconds;

  // All three parts of the verdict hold. A report without a verdict of its own has that of its
  // status.
  bool accepted() const { return status == StepStatus::certified && verdict.accepted(); }
  std::size_t candidate_count() const {
    return contacts.empty() ? static_cast<std::size_t>(candidates) : contacts.size();
  }
  // The step cannot be taken, and the state is the one before it.
  bool failed() const {
    return status == StepStatus::stopped || status == StepStatus::internal_error;
  }
  std::span<const SolveRecord> solved() const { return solves; }
};

// "disc1-plank:0", of two polyhedra "die-floor:face5-corner2".
std::string contact_name(const Model& model, const ContactKey& key);
// "contact disc1-plank:0", "joint rod" ...
std::string constraint_name(const Model& model, const Problem& problem, int constraint);

// Whatever happens in a step, it is taken as a whole or not at all. Functions that are given what
// makes no sense (no model, a state of another size, h <= 0, a body that does not exist) throw
// std::invalid_argument and change nothing; nothing else is thrown but std::bad_alloc by the
// constructor and the functions that copy what they are given.
class Simulator {
 public:
  Simulator(std::shared_ptr<const Model> model, State initial, SchemeOptions scheme = Euler{},
            SolverOptions solver = Auto{}, VerdictOptions verdict = {});
  ~Simulator();
  Simulator(Simulator&&) noexcept;
  Simulator& operator=(Simulator&&) noexcept;

  // Advances the state by h > 0. A step that is stopped, interrupted or ends with an internal error
  // leaves the state as it was; another step() may be tried. A step for which there is not enough
  // memory is stopped. External forces are part of the free velocities (E30) and, as work of
  // applied forces, of the ledger (E21). A step without controls has the bits of a run that never
  // had any.
  const StepReport& step(double h, const Controls& controls = {});

  const Model& model() const;
  const State& state() const;
  void set_state(State state);  // bodies must match the model
  const StepReport& report() const;
  const SchemeOptions& scheme() const;
  const SolverOptions& solver() const;
  const VerdictOptions& verdict_options() const;
  const WorkMeter& work() const;  // of the last step, with its bound (E314)

  // Asked inside the solves of every step from now on. Where it says yes the step ends soon, is not
  // taken and leaves the state as it was: another step() begins it anew, with the bits of a run
  // that was never interrupted.
  void set_interrupt(const Interrupt& interrupt);

  // A function that returns seconds; without one the library reads no clock and StepReport::seconds
  // stays zero. Neither it nor the one of set_interrupt() may throw.
  void set_clock(double (*clock)());

  double kinetic_energy() const;    // of the state [J]
  double potential_energy() const;  // gravity (zero at the origin) and springs [J]
  double penetration() const;       // over all pairs of the state [m]
  double joint_error() const;       // [m]

 private:
  struct Workspace;
  std::unique_ptr<Workspace> workspace_;
};

// Velocity of the body frame's origin and angular velocity, both in the world, as in the scene
// format.
struct BodyMotion {
  Vec3 position;
  Quat orientation;
  Vec3 velocity;
  Vec3 angular_velocity;
};
BodyMotion body_motion(const Model& model, const State& state, BodyId body);

// Position and velocity of the coordinate of a joint (E760); 0 of a joint that has none. Bodies
// with prescribed motion count with the velocity 0 here, unlike in JointReport.
double joint_position(const Model& model, const State& state, JointId joint);
double joint_velocity(const Model& model, const State& state, JointId joint);

// Whether scheme and solver together take all that the model has, from this state on; if not, says
// what it is and why.
Result<void> accepts(const SchemeOptions& scheme, const SolverOptions& solver, const Model& model,
                     const State& state);

struct Overlap {
  BodyId body_a{}, body_b{};
  double depth = 0;  // of the deepest of their contacts [m]
  double speed = 0;  // the largest at which steps will open it [m/s]
};

// Pairs that overlap by more than a hundredth of the smaller body's radius, the deepest first. What
// is less comes from rounded numbers in a scene and is nothing to warn of. `h` is the step to be
// taken [s].
std::vector<Overlap> deep_overlaps(const Model& model, const State& state,
                                   const SchemeOptions& scheme, double h);

}  // namespace cairn
