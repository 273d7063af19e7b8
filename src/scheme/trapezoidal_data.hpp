// What a step of scheme `trapezoidal` works on and keeps its memory in.
#pragma once

#include "cairn/simulator.hpp"
#include "constrain/joints.hpp"
#include "dynamics/impulses.hpp"
#include "scheme/interpolant.hpp"

namespace cairn {

// The constant terms of a row by origin, as velocities [m/s].
struct RowTerms {
  double motion = 0;      // mean prescribed motion of the step; instantaneous in impacts
  double correction = 0;  // gamma gap / h
};

struct TrapezoidalData {
  ForceImpulses forces;
  Phase now, next, half, trial, begin;  // begin: of the whole step
  VecX mean, v_free, v_before, v_unit;
  double free_length = 1;           // time after which v_free would be reached [s]
  std::vector<Contact> candidates;  // at now, sorted by key
  std::vector<Contact> touching;    // rows of the solve, at half the step or at the impact
  std::vector<char> active;         // beside candidates
  std::vector<ContactKey> holding;  // contacts that carry an impulse, sorted
  std::vector<RowTerms> terms;      // per row of the last solve
  std::vector<JointRowTerms> joint_terms, joint_terms_start;
  std::vector<ContactMemory> memory;
  std::vector<double> joint_impulses;
  ProblemLayout layout;
  Problem probe;
  SolveRecord trial_record;  // solves that only search for an event
  std::vector<char> held;    // contacts that are taken for joints, beside touching
  std::vector<Pose> before_projection, window[2];
  double deepest = 0;  // overlap at `next` when collisions were looked for [m]
  std::size_t joint_constraints = 0;
  Phase coarse;  // end of the step in half as many parts
  State start;   // for the finder of contacts
};

}  // namespace cairn
