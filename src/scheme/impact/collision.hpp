// An impact at one moment (E220 to E228): everything that touches, under the restitution laws of
// its contacts. A scheme fills the problem of that moment; out come the velocities after the
// impact, the solves that led to them and the energies of every contact. Its parts are spread over
// files by idea: collision.cpp (phases, energy guard), collision_return.cpp (the problems of the
// phases), collision_search.cpp (speeds under polygons without a centre), collision_sequence.cpp
// (one contact after the other, along the path of its slip), collision_audit.cpp (energies).
#pragma once

#include "cairn/simulator.hpp"
#include "problem/islands.hpp"
#include "problem/mass.hpp"

namespace cairn::scheme {

struct CollisionRules {
  RestitutionFriction friction = RestitutionFriction::total;
  Propagation propagation = Propagation::simultaneous;
  bool guard = true;                 // the impact does not raise the kinetic energy
  bool returns = true;               // false: nothing bounces
  const WorkMeter* meter = nullptr;  // of the step (E314)

  // Beyond this share of the work of a step no impact is solved for again.
  static constexpr double share_for_impacts = 0.75;
  bool spent() const { return meter && meter->beyond(share_for_impacts); }
};

// A contact that touches, beside its constraint in the problem.
struct Collider {
  ContactKey key;
  double restitution = 0;  // e [-]
  RestitutionLaw law = RestitutionLaw::newton;
  double approach = 0;   // relative normal velocity before, < 0 closing [m/s]
  double threshold = 0;  // slowest approach that bounces [m/s]
};

// What is found of the islands of an impact.
struct CollisionIslands {
  enum class Mode : std::uint8_t { plastic, newton, returned, sequence };
  std::vector<Mode> mode;
  std::vector<char> hit, rubs;  // collides, has friction
  std::vector<double> theta, factor, kinetic;
  std::vector<double> full_energy;                               // before the guard [units]
  std::vector<double> returned, target, last_factor, last_work;  // Stronge's law
  std::vector<double> factor_below, factor_above, least_error;
  std::vector<int> stalls;
};

// The search for what the contacts return.
struct ReturnSearch {
  std::vector<double> compression_work;     // of contacts
  std::vector<double> wanted, speed, push;  // of contacts
  std::vector<double> slope, search_speed, search_impulse;
  bool speeds_found = true;   // false: a search for speeds of this impact has failed (E174)
  bool speeds_known = false;  // `returning_answer` is of this impact
  Problem returning;          // impulses that are returned with their friction (E680)
  Solution returning_answer;
  std::vector<std::size_t>
      friction_of;  // contact that each constraint beyond those of `base` is of
  VecX total;       // impulses of the contacts in it
  VecX v_compressed;
};

// One contact after the other: the joints are eliminated.
struct SequenceData {
  problem::MassInverse mass;
  Eigen::MatrixXd joint_response;  // S = J_e A^-1 J_e^T of an island, then its factor
  Eigen::MatrixXd joint_rows;      // A^-1 J_e^T
  VecX joint_scratch, joint_sorted, joint_impulse;
  std::vector<Eigen::Index> joint_order;  // of the pivots
  Eigen::Index joint_rank = 0;
  std::vector<int> joint_list;  // joint constraints of the island
};

struct CollisionData {
  // What the scheme fills.
  Problem base;                     // k = A v, joints and contacts; b is prescribed motion
  std::vector<Collider> colliders;  // of the contacts of `base`, in its order
  VecX v_before;                    // in the problem's units, like all that follows
  VecX warm;                        // impulses to start from
  double t = 0;                     // of the impact [s]
  SolveOrigin origin;               // of the problems to be recorded

  // What comes out.
  VecX v_after;
  VecX lambda_compression;  // impulses of the compression
  VecX impulse;             // of every row over the whole impact
  VecX work;                // of every row on the relative motion
  Ledger flows;             // what friction, normals and joints lost, what motion put in

  // Memory.
  std::vector<std::size_t> constraint_of;  // beside the colliders
  std::vector<int> collider_of;            // beside the constraints; -1: of a joint
  problem::Islands islands;
  CollisionIslands of_island;
  ReturnSearch search;
  SequenceData sequence;
  VecX v_from, v_scratch;
};

// Reads and writes `data`, adds solves, impacts and counts to the report.
void resolve_impact(const CollisionRules& rules, const SolverOptions& solver,
                    SolverWorkspace& workspace, CollisionData& data, StepReport& report);

// The impact in progress.
struct Collision {
  using Mode = CollisionIslands::Mode;
  using Purpose = SolveRecord::Purpose;

  const CollisionRules& rules;
  const SolverOptions& solver;
  SolverWorkspace& workspace;
  CollisionData& d;
  StepReport& report;

  void run();
  void compress();
  void classify();
  void attempt();
  bool decompress(int first);
  bool return_impulses(int first);
  bool search_speeds(int first);
  bool returns_fully(std::size_t contact) const;
  void rest_jammed(VecX& v) const;
  void add_returned_friction(VecX& lambda) const;
  void pose(Purpose purpose, Problem& problem) const;
  SolveRecord& record(Purpose purpose);
  void solve_from(Purpose purpose);
  void set_wanted();
  bool balance_works();
  bool guard();
  int unsolved() const;

  // One contact after the other.
  void sequence(int island);
  void eliminate_joints(int island);
  void factor_joints();
  void solve_joints();
  void close_joints(bool velocity, VecX& change);
  void respond(const Constraint& c, const double* lambda, VecX& change);
  void strike(std::size_t contact, double e);

  // Energies.
  void add_segment(std::size_t constraint, const VecX& from, const VecX& to, const double* lambda);
  double island_work(int island) const;
  double kinetic_of(int island, const VecX& v) const;
  void audit();

  const Constraint& constraint(std::size_t contact) const {
    return d.base.constraints[d.constraint_of[contact]];
  }
  int row(std::size_t contact) const { return d.base.first_row[d.constraint_of[contact]]; }
  int island_of(std::size_t contact) const {
    return d.islands.of_constraint[d.constraint_of[contact]];
  }
  Mode mode_of(std::size_t contact) const {
    const int island = island_of(contact);
    return island < 0 ? Mode::plastic : d.of_island.mode[static_cast<std::size_t>(island)];
  }
  bool collides(std::size_t contact) const {
    const Collider& c = d.colliders[contact];
    return c.approach < -c.threshold && island_of(contact) >= 0;
  }
};

}  // namespace cairn::scheme
