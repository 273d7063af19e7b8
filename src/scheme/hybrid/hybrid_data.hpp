// What a step of scheme `hybrid` works on and keeps its memory in.
#pragma once

#include "cairn/simulator.hpp"
#include "collide/pairs/poly_pair.hpp"
#include "constrain/joints.hpp"
#include "constrain/rows.hpp"
#include "problem/mass.hpp"
#include "scheme/common/free_motion.hpp"
#include "scheme/common/isolated_bodies.hpp"
#include "scheme/common/motion_window.hpp"
#include "scheme/impact/impact_path.hpp"

namespace cairn::scheme {

// One constraint of friction about a contact that touches.
struct SpinTouch {
  Constraint row;  // with prescribed motion in b
  constrain::SpinRows axes;
  // Of its first row among those about n, t1 and t2.
  int first() const { return row.key.role == Role::rolling ? 1 : 0; }
};

// A contact that touches at the moment of an impact. Numbers are in the units of the impact's
// problem.
struct Touch {
  Contact contact;              // with the friction of bouncing contacts
  Constraint row;               // its Jacobian
  Mat3 W = Mat3::Zero();        // velocity per impulse, joints included
  Vec3 motion = Vec3::Zero();   // velocity that prescribed motion causes, as in the rows
  Vec3 impulse = Vec3::Zero();  // of this moment so far
  // Torsional and rolling friction about it, E260: turning about n, t1, t2.
  std::array<SpinTouch, 2> spins;
  std::size_t spin_count = 0;
  Mat3 W_spin = Mat3::Zero(), W_mixed = Mat3::Zero();  // of torques: turning, and velocity
  Vec3 torque = Vec3::Zero();                          // of this moment so far
  int response = -1;      // where its bodies hang on joints: first column of the responses
  double threshold = 0;   // switch speed
  double approach = 0;    // when it was hit first, < 0; 0: not hit
  bool measured = false;  // W is known
  bool steady = false;
};

// A pair that may collide within a part of the step.
struct Watch {
  ContactKey key;
  bool polyhedra = false;  // watched as a whole, by depth or separation
  double gap = 0;          // at the beginning of the part [m]
};

// What is known of bodies.
struct BodyMarks {
  std::vector<char> flies;   // nothing but gravity acts on it
  std::vector<char> falls;   // solved, in an island that nothing holds (E408)
  IsolatedBodies islands;    // of steady contacts, joints and springs
  std::vector<char> unlike;  // per island, at its first body: bodies with other translations
  std::vector<char> bound;   // has joints, springs or applied forces
  std::vector<char> jointed;
  std::vector<int> moments_of;  // moments of the step in which it was hit
  std::vector<char> hit;        // in the one at hand
};

// The impacts of a moment.
struct MomentData {
  std::vector<Touch> touching;
  std::vector<constrain::SpinRows> spins;       // scratch
  std::vector<std::size_t> struck;              // the contacts of one strike
  Touch merged;                                 // several that approach alike
  std::vector<Touch> hits;                      // impulses of the moment
  int responses = 0;                            // columns in use
  VecX v, v_before;                             // in the problem's units
  VecX alone;                                   // of two bodies, zero elsewhere
  std::vector<double> momentum;                 // likewise, scratch
  std::vector<VecX> response, response_joints;  // of bodies and of joint rows to unit impulses
  VecX joint_impulses;
  Problem joints;  // bodies and joints alone
  Solution solution;
  problem::MassInverse mass;
  constrain::ProblemLayout layout;
  std::vector<constrain::JointRowTerms> joint_terms;
  double still = 0;  // speed below which rounding decides
};

struct HybridData {
  State now, half;                  // half: where forces are evaluated
  Prediction ahead;                 // of the part at hand, without contacts and joints
  Euler euler;                      // the sub-step of the steady contacts
  StepReport part;                  // an output of that sub-step
  std::vector<Contact> candidates;  // at now, sorted by key
  std::vector<Contact> held;        // those of them that are steady
  std::vector<ContactKey> steady;   // sorted
  std::vector<ContactKey> next;     // scratch of it
  std::vector<Watch> watched;
  std::vector<ContactKey> due;  // contacts that met at the end of the last part
  VecX v_path;                  // velocities at the beginning of a stretch of the path
  BodyMarks marks;
  MomentData impact;
  std::vector<Pose> trial;
  MotionWindow window;
  collide::RatioBasis basis;
  bool brief = false;      // the part at hand is too short for steady contacts to act
  double free_length = 1;  // time after which v_free would be reached [s]
  double deepest = 0;      // overlap at the end of the part [m]
};

}  // namespace cairn::scheme
