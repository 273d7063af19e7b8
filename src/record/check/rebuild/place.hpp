// check, rebuilding problems (E380): where a problem of a recording was posed.
#pragma once

#include <functional>
#include <set>
#include <span>
#include <string>

#include "cairn/model.hpp"
#include "cairn/scene.hpp"
#include "cairn/simulator.hpp"
#include "record/check/check.hpp"

namespace cairn::record {

using Purpose = SolveRecord::Purpose;

// What check could not verify, each said once.
using Unverified = std::set<std::string>;

// A step, or a part of a divided one: consecutive solves of one scheme for one group of bodies.
struct Segment {
  const Model& model;
  SchemeOptions scheme;        // by which it was taken
  const State& start;          // of all bodies at its beginning
  double length = 0;           // [s]
  double nominal = 0;          // length of the whole step [s]
  double allowed_overlap = 0;  // limit of the verdict [-]
  std::span<const SolveRecord> solves;
  int first_solve = 0;            // number of the first one in the report
  const StepReport& report;       // of the whole step
  std::vector<Contact> reported;  // contacts that solves without origin refer to
  const Complain& complain;
  Unverified& unverified;
  std::vector<Pose> end;  // of all bodies at its end
  VecX v_end;             // velocities at its end

  // Share of the whole step (E308).
  double share() const { return nominal > 0 ? length / nominal : 1; }
  void say(std::size_t solve, FindingCode code, const std::string& what) const;
};

// A contact of a part of first order that closes: velocities along its normal and kinetic energies
// of its island, at both ends (E710).
struct Collided {
  ContactKey contact;
  double approach = 0, rebound = 0, size = 0;    // `size`: what they round with [m/s]
  double kinetic_before = 0, kinetic_after = 0;  // [J]
};

// What the solves of a segment imply.
struct SegmentOutcome {
  Ledger flows;                  // energies, without those at the ends
  double projected = 0;          // energy that projections put in, part of the above (E712) [J]
  bool projected_known = false;  // for all solves
  bool energies_known = true;
  bool friction_known = true;  // false: only with the losses of impacts as one sum
  bool impacts_known = true;  // false: which groups collided; losses less the integrator's term are
  std::vector<ContactReport> contacts;  // as the last solve leaves them, sorted by key
  bool contacts_known = false;
  bool impulses_known = true;        // of these contacts
  bool impulses_balanced = false;    // they are those that change the velocities as recorded (E523)
  std::vector<ContactKey> collided;  // contacts with an impact, sorted
  std::vector<Collided> collisions;  // of parts of first order
  // What the state remembers: contacts with the impulses of one solve, times a factor.
  std::vector<ContactReport> memory;
  std::size_t memory_solve = 0;  // whose impulses of joints are remembered
  double memory_factor = 1;
  bool memory_known = false;
  bool joints_kept = false;  // impulses of joints stay those of the state before
  // Scheme hybrid: gaps up to which contacts of the last part stay steady without an impulse
  // (E524) [m].
  std::vector<std::pair<ContactKey, double>> rooms;
};

struct Place {
  double t = 0, length = 0;   // beginning and length of the part that the problem is for [s]
  double t_rows = 0;          // time of prescribed bodies in the rows [s]
  std::vector<Pose> start;    // of all bodies at t
  std::vector<Pose> rows;     // of all bodies where the rows were taken
  std::vector<Pose> columns;  // the same for the columns of J: turned as at the beginning (E406)
  const std::vector<Pose>* joints = nullptr;  // where rows of joints were taken; null: `rows`
  VecX v;                                     // velocities at t, of the model [m/s, rad/s]
  bool again = false;                 // rows are of another configuration than the beginning
  std::span<const Contact> contacts;  // as the rows have them
  std::span<const Contact> before;    // the same at the beginning
  std::vector<int> layout;            // of each body of the model its number in the problem, or -1
};

Place place_of(const Segment& segment, const SolveRecord& record);

// Bodies, velocities and time are those of the state at the beginning of the segment, bit for bit.
bool begins_with_state(const Segment& segment, const Place& place);

// The contact of a key; null: there is none.
const Contact* contact_with(std::span<const Contact> contacts, const ContactKey& key);

// "solve 3, contact ball-floor:0".
std::string row_name(const Segment& segment, const Problem& problem, std::size_t constraint);

// Where a part goes on: where the next solve begins, or the end of the segment.
struct Continuation {
  std::vector<Pose> poses;
  VecX v;
};
Continuation after_solve(const Segment& segment, std::size_t solve);

// What the projection onto joints changes of the energy of springs (E743) [J].
double energy_of_closing(const Model& model, bool projects, const std::vector<Pose>& moved,
                         const std::vector<Pose>& closed);

// Whether the step says that a projection moved bodies.
bool says_projected(const StepReport& report);
// Energy that a projection put in and that payments took, from where the solve led to where the
// step goes on (E712, E983); where nothing was moved only the kinetic one [J].
double energy_of_projection(const Segment& segment, const std::vector<Pose>& moved, const VecX& v,
                            const std::vector<Pose>& end, const VecX& v_end);

// Kinetic energy of the bodies, without that of rotors (E874), plus potential energy [J].
double total_energy(const Model& model, const std::vector<Pose>& poses, const VecX& v);

// Two sets of poses agree to 1e-12 of their size.
bool same_poses(const Model& model, const std::vector<Pose>& a, const std::vector<Pose>& b);

// Poses at the end of the part: prescribed bodies on their curve, those of the problem where v
// takes them in the time h.
std::vector<Pose> led_poses(const Segment& segment, const Place& place, const VecX& v, double h);

// The same with the velocities at that time (E420).
Continuation led_freely(const Segment& segment, const Place& place, const VecX& v, double h);

// The end of a part of the trapezoidal rule with the solved velocities `after` (E161, E423).
Continuation led_by_rule(const Segment& segment, const Place& place, const VecX& after,
                         bool limited);

// The velocities that take the bodies of a problem from the beginning to the rows; turns
// next to those of v.
VecX leading_velocities(const Segment& segment, const Place& place, const VecX& v);

// The model's velocities that a solve gave; bodies outside its problem keep those of `other`.
VecX solved_velocities(const Model& model, const SolveRecord& record, const VecX& other);

}  // namespace cairn::record
