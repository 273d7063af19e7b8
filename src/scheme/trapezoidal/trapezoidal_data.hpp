// What a step of scheme `trapezoidal` works on and keeps its memory in.
#pragma once

#include "cairn/simulator.hpp"
#include "constrain/joints.hpp"
#include "dynamics/impulses.hpp"
#include "scheme/common/motion_window.hpp"
#include "scheme/rows/step_problem.hpp"
#include "scheme/trapezoidal/interpolant.hpp"

namespace cairn::scheme {

// How a touching contact behaves, and of a friction polygon the vertices that carry its impulse:
// the basis of Potra et al. 2006, section 7.5.
struct ContactBasis {
  enum class Mode : std::uint8_t { idle, stick, slip, edge } mode = Mode::idle;
  std::array<int, 2> vertices = {-1, -1};  // slip: the first; edge: both
};

// A contact that may leave its mode within the step.
struct Watched {
  std::size_t contact = 0;  // index into `touching`
  StepEvent::Kind kind = StepEvent::Kind::slip;
  bool held = false;  // it pressed before this part of the step
  double value = 0;   // of its function when it was last evaluated, negative: it has left
};

// All that a part of a divided step changes, as it was before.
struct PartStart {
  Phase now;
  std::vector<ImpulseMemory> impulses;
  std::vector<ContactKey> holding;
  double memory_length = 0;
  Ledger ledger;
  std::size_t events = 0, impacts = 0, knots = 0;
  int solves = 0, collisions = 0, added_pairs = 0;
  double projection = 0, projection_angle = 0, projection_slowing = 1;
  int sequential_impacts = 0, unfinished_sequences = 0, guard_corrections = 0;
  double guard_factor = 1;
};

// The smooth problem and the projection after it.
struct SmoothData {
  VecX mean, v_free, v_before, v_unit;
  VecX v_solved;                 // of the last solve, in the frames of `half` (E423)
  VecX v_ahead;                  // at `next` without impulses, in the problem's units
  std::vector<char> no_torque;   // per body with unequal moments of inertia: in the last solve
  double free_length = 1;        // time after which v_free would be reached [s]
  dynamics::SpringRows relaxed;  // stiff dampers after an impact (E179)
  // Of the last problem: `motion` is the mean of the step, in impacts that of the moment.
  StepProblem posed;
  std::vector<constrain::JointRowTerms> joint_terms, joint_terms_start;
  constrain::ProblemLayout layout;
  std::vector<char> held;  // contacts that are taken for joints, beside touching
  problem::MassInverse mass;
  std::vector<Pose> before_projection;
  std::vector<Pose> closed;  // where springs beside joints end (E746)
  std::vector<char> turned;  // per body: some row of the solve has a torque about its centre
};

// The search for the next event.
struct EventSearch {
  ContactKey due;          // of the earliest collision found
  double floor = 0;        // the gap at which it collides (E1000) [m]
  bool by_solves = false;  // it was found by solving for each length (E186)
  Problem probe;
  SolveRecord trial_record;          // solves that only search for an event
  SolveRecord trial_record_instant;  // of the forces at one instant
  std::vector<double> search_slope, search_speed, search_impulse;
  std::vector<ContactBasis> modes;  // beside touching
  std::vector<Watched> watched;
  std::vector<double> rates_now, rates_next;  // of the joint rows, for (E184)
  std::vector<double> turning;                // and for (E187)
  MotionWindow window;
  double deepest = 0;  // overlap at `next` when collisions were looked for [m]
};

struct TrapezoidalData {
  dynamics::ForceImpulses forces;
  Phase now, next, half, trial, begin;  // begin: of the whole step
  std::vector<Contact> candidates;      // at now, sorted by key
  std::vector<Contact> touching;        // rows of the solve, at half the step or at the impact
  std::vector<char> active;             // beside candidates
  std::vector<ContactKey> holding;      // contacts that carry an impulse, sorted
  std::vector<ImpulseMemory> impulses;  // warm start
  double memory_length = 0;  // over which the impulses in memory acted; 0: those of an impact [s]
  SmoothData smooth;
  EventSearch search;
  Phase coarse;  // end of a part in one piece
  PartStart saved;
  State start;  // for the finder of contacts
};

struct TrapezoidalMemory {
  TrapezoidalData step, instant;  // of the step; of the forces at one instant
};

}  // namespace cairn::scheme
