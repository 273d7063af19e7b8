// What a step of a velocity-impulse scheme works on, shared by the scheme, its restitution and the
// ledger.
#pragma once

#include <variant>

#include "cairn/simulator.hpp"
#include "constrain/drives.hpp"
#include "constrain/projection.hpp"
#include "dynamics/forces.hpp"
#include "problem/islands.hpp"
#include "scheme/common/active_set.hpp"
#include "scheme/common/contact_projection.hpp"
#include "scheme/common/free_groups.hpp"
#include "scheme/common/free_motion.hpp"
#include "scheme/common/isolated_bodies.hpp"
#include "scheme/common/joint_projection.hpp"
#include "scheme/common/step_path.hpp"
#include "scheme/hybrid/hybrid_data.hpp"
#include "scheme/impact/collision.hpp"
#include "scheme/penalty/penalty_data.hpp"
#include "scheme/rows/step_problem.hpp"
#include "scheme/trapezoidal/trapezoidal_data.hpp"

namespace cairn::scheme {

// The constant term b of a contact's rows, by origin [m/s]; b_n = gap + bounce + motion_n + slip,
// b_T = motion_T.
struct ContactTerms {
  Vec3 motion = Vec3::Zero();   // along n, t1, t2: prescribed motion
  double rebound = 0;           // normal velocity that an impact leaves behind, >= 0
  Vec3 impulse = Vec3::Zero();  // of an impact before the forces of the step (E229) [N s]
  double approach = 0;          // relative normal velocity at the beginning, < 0 closing
  double threshold = 0;         // TOL of (4.10): slowest approach that is an impact
  double gap_rate = 0;          // gap / h, overlap times gamma and limited
  double delayed = 0;           // Lambda of (4.10)
  bool impact = false;          // closes faster than the threshold and carries an impulse
  double gap = 0, bounce = 0;   // as used in the last problem
  double closing = 0;           // the part of gap that closes a distance of the beginning
  double start_gap_rate = 0;    // max(0, gap) / h at the beginning
  double target = 0;            // least gap at the end, 0 or the overlap that gamma leaves [m]
  Vec3 spin = Vec3::Zero();     // angular velocity of b relative to a by prescribed motion [rad/s]
  double slip = 0;  // Gamma of (E92), scheme relaxed: bound on the slip that is allowed for
};

// The row of a contact without restitution.
inline void use_gap(ContactTerms& terms) {
  terms.gap = terms.gap_rate;
  terms.closing = terms.start_gap_rate;
  terms.bounce = terms.delayed;
}

// The energy guard (E35), by groups of bodies: islands, or all of them as one.
struct EnergyGuardData {
  std::vector<double> plastic, excess, allowed;  // gain of energy, and what of it is allowed [J]
  std::vector<double> kinetic, reached;          // without impulses and with them [J]
  std::vector<double> share;                     // of the restitution; empty: all [-]
  std::vector<int> of_contact;                   // the group of a contact
  bool plastic_solved = false;                   // without restitution there is an answer
};

// Who pays for the work of the projection (E39, E322); by body, or by the root of a group of
// bodies.
struct PaymentData {
  base::UnionFind groups;
  std::vector<char> jointed, pays, spared;
  static constexpr int none = -1, ground = -2, several = -3;
  std::vector<int> frame;  // the prescribed body that the group touches, or one of the above
  std::vector<double> work, kinetic;   // lift, energy of those who pay [J]
  std::vector<double> relative;        // energies relative to prescribed bodies [J]
  std::vector<double> carried_energy;  // of u [J]
  Problem carrying;  // of the velocities with which bodies follow prescribed ones (E322)
  Solution carried;
  std::vector<double> island_work, island_kinetic;  // scheme trapezoidal

  std::size_t root(std::size_t body) { return base::at(groups.root(static_cast<int>(body))); }
};

// What the caller says of the step.
struct StepInputs {
  double nominal = 0;  // length of the step that the scheme takes all or a part of (E308) [s]
  double allowed_overlap = 0.05;    // of the smaller inner radius, as in the verdict [-]
  WorkMeter* meter = nullptr;       // of the step (E314)
  std::vector<MotorTarget> motors;  // in place of their functions of time
};

// Velocities of all bodies, in SI.
struct StepVelocities {
  VecX start;           // where the forces of the step act from
  VecX free, end;       // without the impulses of constraints; of the step
  VecX free_plain;      // free without impacts
  VecX explicit_plain;  // FreeMotion::v_explicit without impacts
  VecX linear;          // that led to NonlinearData::contacts, in the problem's units
  VecX solved;          // of the last solve, in the frames of the beginning
  VecX moved;           // the same after the drift (E420), before the projection
  VecX before;          // the projection: moved, slowed by what pays for springs
  VecX carried;         // of bodies that follow prescribed ones (E322)
  VecX turn;            // impulses, and the change of velocities, along springs after the drift
  VecX audit, path;
  VecX k_plain;  // momentum of a solve without the pushes of springs that are followed
};

struct StepPoses {
  std::vector<Pose> end;
  std::vector<Pose> linear;  // where the rows were taken
  std::vector<Pose> rows;    // their positions, with the rotations of the beginning (E406)
  std::vector<Pose> moved;   // before any projection
  std::vector<Pose> closed;  // where springs beside joints end (E740)
  std::vector<Pose> path;    // where the first stretch of the path ends
};

// What the rows of the last problem are made of.
struct StepRows {
  constrain::ProblemLayout layout;
  StepProblem posed;                                  // terms of its rows, constraints of contacts
  std::vector<constrain::JointRowTerms> joint_terms;  // per row of joints and gears
  std::vector<double> joint_targets;                  // per row, error that gamma leaves [m]
  std::vector<constrain::DriveRow> drives;
  std::vector<ContactTerms> terms;         // beside StepData::contacts
  std::vector<constrain::SpinRows> spins;  // friction about contacts
};

// Option `nonlinear`.
struct NonlinearData {
  bool again = false;             // rows are of the end of the step, not its beginning
  std::vector<Contact> contacts;  // at StepPoses::linear, beside StepData::contacts
  IsolatedBodies isolated;        // their contacts keep the rows of the beginning (E407)
  Problem probe;                  // rows of the joints at the end of the step
  std::vector<constrain::JointRowTerms> probe_terms;
};

// Contacts that stick (E441, E442).
struct StickingData {
  std::vector<ContactAnchor> anchors;              // in this step
  std::vector<constrain::AnchorRows> anchor_rows;  // beside them
  base::UnionFind anchor_groups;
  std::vector<char> anchor_moves;  // by body: root of a group whose anchors or joints are apart
  static constexpr int rides_on_none = -1, rides_on_several = -2;
  std::vector<int> rides_on;  // by body: of a root the prescribed body that anchors hold it to
};

// Positions after the solve.
struct PositionData {
  constrain::ProjectionBuffers projection;
  ContactProjectionBuffers contact_projection;
  JointProjectionBuffers joint_projection;
  double potential_solved = 0;  // before the projection, of springs after it (E743) [J]
  double projection_work = 0;   // energy put in by the projection [J]
  bool spared = false;          // contacts took part in it (E320)
  PaymentData payment;
  std::vector<double> spring_gains;  // by body: paid for within its free group (E744) [J]
  FreeGroups free_groups;
};

// Collisions of the step.
struct ImpactData {
  EnergyGuardData guard;
  CollisionData collision;
  bool at_once = false;             // the impacts of this step came before its forces (E229)
  std::vector<int> in_collision;    // of contacts: index among the colliders, or -1
  std::vector<char> hit;            // of islands
  std::vector<ContactKey> pending;  // delayed restitution: contacts that collided in this step
};

// Corrections of scheme `relaxed`.
struct RelaxedData {
  Problem exact;                          // a problem under Coulomb's law
  std::vector<double> slips, best_slips;  // of all contacts
  std::vector<dynamics::SpringRow> plastic_springs, best_springs;
};

// What a step of `euler` or `relaxed` works on and keeps its memory in; other schemes use its
// parts.
struct StepData {
  explicit StepData(const Model& model) : active(model) {}

  StepInputs in;
  ActiveSetBuffers active;
  dynamics::Forces forces;
  FreeMotion free;  // with the velocities that the problems' k is made of
  StepVelocities v;
  StepPoses poses;
  std::vector<Contact> contacts;        // candidates, sorted by key
  std::vector<Contact> contacts_start;  // contacts as they were at the beginning
  StepRows rows;
  NonlinearData nonlinear;
  StickingData sticking;
  PositionData positions;
  ImpactData impact;
  RelaxedData relaxed;
  std::vector<ImpulseMemory> impulses;  // warm start
  problem::Islands islands;
  SolverWorkspace solver;
  StepPath path;  // an output: how the bodies moved
  std::variant<std::monostate, TrapezoidalMemory, HybridData, PenaltyData> scheme;

  // What a scheme keeps of its own from step to step.
  template <class Memory>
  Memory& memory() {
    if (!std::holds_alternative<Memory>(scheme)) scheme.template emplace<Memory>();
    return std::get<Memory>(scheme);
  }
  // Adds to the work of the step (E314).
  void book(double work) const {
    if (in.meter) in.meter->spent += work;
  }
  // Share of the whole step that a part of length h is.
  double share(double h) const { return in.nominal > 0 ? h / in.nominal : 1; }
};

// Of the work of a step (E314): beyond this share `trapezoidal` and `hybrid` no longer look for
// events, and the rest is left for what may have to be taken again.
inline constexpr double share_for_events = 0.5;

// sigma(w_T) of Coulomb's law (E4), also of a relaxed contact: there the speed with which it lifts.
double slip_speed(const Constraint& c, const double* w);

// Work of motors, and of prescribed motion through contacts and joints, for the impulses of a solve
// [J], of all and by islands.
double work_of_motion(const StepData& data, const SolveRecord& record);
void work_of_motion(const StepData& data, const SolveRecord& record,
                    const problem::Islands& islands, std::vector<double>& work);

// Energies of the step from its data and the solve that gave the velocities (E20 to E24).
Ledger make_ledger(const Model& model, const State& start, double h, StepData& data,
                   const SolveRecord& record);

}  // namespace cairn::scheme
