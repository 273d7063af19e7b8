// What a step of a velocity-impulse scheme works on, shared by the scheme, its restitution and the
// ledger.
#pragma once

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
  std::vector<double> work, kinetic;      // lift, energy of those who pay [J]
  std::vector<double> relative, carried;  // energies relative to prescribed bodies and of u [J]

  std::size_t root(std::size_t body) { return base::at(groups.root(static_cast<int>(body))); }
};

struct StepData {
  explicit StepData(const Model& model) : active(model) {}

  ActiveSetBuffers active;
  dynamics::Forces forces;
  FreeMotion free;  // with the velocities that the problems' k is made of
  VecX v_free, v_end;
  VecX v_solved;                // velocities of the last solve, in the frames of the beginning
  VecX v_moved;                 // the same after the drift (E420), before the projection
  VecX v_before;                // the projection: v_moved, slowed by what pays for springs
  double potential_solved = 0;  // potential energy before the projection [J]
  std::vector<Pose> poses_end;
  constrain::ProblemLayout layout;
  std::vector<Contact> contacts;                      // candidates, sorted by key
  std::vector<ContactTerms> terms;                    // beside contacts
  std::vector<constrain::JointRowTerms> joint_terms;  // per row of the joints
  std::vector<double> joint_targets;                  // per row, error that gamma leaves [m]
  std::vector<Contact> contacts_start;                // contacts as they were at the beginning
  std::vector<Contact> contacts_linear;               // contacts at poses_linear, beside contacts
  std::vector<Pose> poses_linear;                     // where the rows were taken
  std::vector<Pose> poses_rows;   // their positions, with the rotations of the beginning (E406)
  IsolatedBodies isolated;        // their contacts keep the rows of the beginning (E407)
  bool linearised_again = false;  // they are of the end of the step, not its beginning
  Problem probe;                  // rows of the joints at the end of the step
  std::vector<constrain::JointRowTerms> probe_terms;
  VecX v_linear;                            // velocities that led there, in the problem's units
  std::size_t joint_constraints = 0;        // they come first in every problem
  std::vector<constrain::DriveRow> drives;  // after them
  constrain::ProjectionBuffers projection;
  ContactProjectionBuffers contact_projection;
  JointProjectionBuffers joint_projection;
  std::vector<Pose> poses_moved;                   // before any projection
  std::vector<ContactAnchor> anchors;              // of the contacts that stick in this step
  std::vector<constrain::AnchorRows> anchor_rows;  // beside them
  base::UnionFind anchor_groups;
  std::vector<char> anchor_moves;  // by body: root of a group whose anchors or joints are apart
  static constexpr int rides_on_none = -1, rides_on_several = -2;
  std::vector<int> rides_on;  // by body: of a root the prescribed body that anchors hold it to
  EnergyGuardData guard;
  double projection_work = 0;  // energy put in by the projection [J]
  bool spared = false;         // contacts took part in it (E320)
  PaymentData payment;
  VecX k_plain;  // momentum of a solve without the pushes of springs that are followed
  VecX v_turn;   // impulses, and the change of velocities, along springs after the drift
  FreeGroups free_groups;
  std::vector<double> island_work, island_kinetic;
  Problem carrying;  // of the velocities with which bodies follow prescribed ones (E322)
  Solution carried;
  VecX v_carried;
  std::vector<constrain::SpinRows> spins;  // friction about contacts, after them in every problem
  std::vector<ImpulseMemory> impulses;     // warm start
  std::vector<ContactKey> pending;  // delayed restitution: contacts that collided in this step
  Problem exact;                    // a problem of scheme relaxed under Coulomb's law
  std::vector<double> slips, best_slips;  // of all contacts
  std::vector<dynamics::SpringRow> plastic_springs, best_springs;
  problem::Islands islands;
  std::vector<char> impact_islands;
  SolverWorkspace solver;
  WorkMeter* meter = nullptr;  // of the step (E314)
  TrapezoidalData trapezoidal, instant;
  HybridData hybrid;
  PenaltyData penalty;
  CollisionData collision;
  bool at_once = false;  // the impacts of this step came before its forces (E229)
  VecX v_audit;
  VecX v_start, v_free_plain;     // where the forces of the step act from; v_free without impacts
  VecX v_explicit_plain;          // free.v_explicit without impacts
  std::vector<int> in_collision;  // of contacts: index among the colliders, or -1

  double nominal = 0;  // an input: length of the step that the scheme takes all or a part of (E308)
                       // [s]
  double allowed_overlap = 0.05;  // an input: of the smaller inner radius, as in the verdict [-]
  StepPath path;                  // an output: how the bodies moved
  std::vector<Pose> poses_path;   // where its first stretch ends
  VecX v_path;                    // with which velocities

  // Adds to the work of the step (E314).
  void book(double work) const {
    if (meter) meter->spent += work;
  }
  // Share of the whole step that a part of length h is.
  double share(double h) const { return nominal > 0 ? h / nominal : 1; }
  // The first constraint of a contact: joints and drives stand before it.
  std::size_t first_contact() const { return joint_constraints + drives.size(); }
};

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
