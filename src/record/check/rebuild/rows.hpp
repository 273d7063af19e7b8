// check, rebuilding problems (E384, E386): the rows of joints and contacts of a problem.
#pragma once

#include "record/check/rebuild/mechanics.hpp"
#include "record/check/rebuild/place.hpp"

namespace cairn::record {

// One row of a joint at a configuration.
struct JointRow {
  std::size_t constraint = 0;  // of the problem
  int row = 0;                 // within it
  JointId joint{};
  bool turn = false;  // about `along`, as a velocity at the length unit
  Vec3 along = Vec3::Zero();
  std::array<Vec3, 2> points = {Vec3::Zero(), Vec3::Zero()};  // [m]
  double error = 0;                                           // [m], turns at the length unit
  double size = 0;  // of what the error was subtracted from [m]
  // Rows of the beginning in an isolated island (E424), with the error there; `error_ahead` is that
  // where the other rows of the problem are taken.
  bool beginning = false;
  double error_ahead = 0;  // [m]
};

// b of a row of the beginning in a problem that is linearised again: `part` is what gamma closes of
// the error in the step, `led` the velocities that led to the other rows.
double beginning_b(const Segment& segment, const JointRow& row, const Place& place, bool projection,
                   double part, const VecX& led);

// Rows of all joints at `poses`, of those in which a body of the problem can move.
std::vector<JointRow> joint_rows_at(const Segment& segment, const Place& place,
                                    const std::vector<Pose>& poses);

// Where the projection onto the joints leads from `poses` (E38).
std::vector<Pose> closed_poses(const Segment& segment, const Place& place, std::vector<Pose> poses);

// Velocity of the row by the motion of prescribed bodies from `poses` to `other` over h, of chords
// or of screw motions (E600) [m/s].
double joint_motion(const Model& model, const JointRow& row, const std::vector<Pose>& poses,
                    const std::vector<Pose>& other, double h, bool screw = false);

// J v of the row at `poses`, SI [m/s].
double joint_rate(const Segment& segment, const JointRow& row, const std::vector<Pose>& poses,
                  const Place& place, const VecX& v);

// A contact's constraint in a problem.
struct ContactRow {
  std::size_t constraint = 0;
  const Contact* contact = nullptr;
  bool beginning = false;  // its rows are those of the beginning: an isolated island (E407)
};

// A constraint along the coordinate of a joint (E763, E872).
struct DriveRow {
  std::size_t constraint = 0;
  double motion = 0;  // of its coordinate by prescribed bodies [m/s, angles at the length unit]
  double target = 0;  // b = motion - target [m/s]
  double drag = 0;    // of a damper: impulse per rate [kg]
};

// A gear at a configuration (E871).
struct GearRow {
  std::size_t gear = 0;        // of the model
  std::size_t constraint = 0;  // of the problem
  VecX j;                      // over the velocities of the model, SI; zero beside the problem's
  double error = 0;            // [m], angles at the length unit
  double size = 0;             // of what the error was subtracted from [m]
};

struct MatchedRows {
  std::vector<JointRow> joints;
  std::vector<GearRow> gears;
  std::vector<DriveRow> drives;
  std::vector<ContactRow> contacts;
  std::vector<std::size_t> discs;  // constraints of torsional and rolling friction
  bool good = true;                // everything was found
};

// How constraints of contacts must look.
struct RowRules {
  Law law = Law::coulomb;  // of contacts with friction
  int facets = 0;
  bool given = false;     // impulses are given: each row is a box without width
  bool may_hold = false;  // contacts may be held as equalities
  bool any_law = false;   // exact friction may stand for the relaxed law (E229)
  bool bouncing = false;  // with the friction of bouncing contacts
};

// Compares ids, laws, friction and J with the scene; what is left to compare is b.
MatchedRows match_rows(const Segment& segment, std::size_t solve, const SolveRecord& record,
                       const Place& place, const RowRules& rules);

// One row of J, recorded in the problem's units, is a row in SI.
bool same_row(const Segment& segment, const Problem& problem, const Constraint& c, int row,
              const std::array<Row6, 2>& j, double size);
bool same_bodies(const Place& place, const Constraint& c, const std::array<BodyId, 2>& ids);

// Velocity of b relative to a at a contact, along n, t1 and the stretched t2, of free bodies [m/s].
Vec3 contact_rate(const Model& model, const std::vector<Pose>& poses, const Contact& c,
                  const VecX& v);
// The same by the motion of prescribed bodies.
Vec3 contact_motion(const Model& model, const Contact& c, const std::vector<Pose>& poses,
                    const std::vector<Pose>& other, double h);
// The same of the point that moves with the free body of the contact, as if that were fixed to the
// prescribed one (E440).
Vec3 carried_motion(const Model& model, const Contact& c, const std::vector<Pose>& poses,
                    const std::vector<Pose>& other, double h);
// Of the limit of an angle: the spin of prescribed bodies times its lever.
Vec3 turning_motion(const Model& model, const Contact& c, const std::vector<Pose>& poses,
                    const std::vector<Pose>& other, double h);
Vec3 contact_spin(const Model& model, const Contact& c, const std::vector<Pose>& poses,
                  const std::vector<Pose>& other, double h);

// b of a constraint, in SI, against what is expected; `size` is what the terms round with [m/s].
void compare_b(const Segment& segment, std::size_t solve, const Problem& problem,
               std::size_t constraint, int row, double expected, double size);

// Discs: b is the spin of prescribed bodies about their axes.
void compare_discs(const Segment& segment, std::size_t solve, const Problem& problem,
                   const Place& place, const MatchedRows& rows,
                   const std::function<Vec3(const Contact&)>& spin);

// Anchors of the state and the motion of prescribed bodies (E440, E600, E601).

// Whether something is known from the state at the beginning of the segment. Parts of a step begin
// where no anchors are recorded.
enum class Known : std::uint8_t { no, yes, unclear };

// The scheme projects positions.
bool projects(const Segment& segment);

// One of two bodies is in a group that joints, anchors and contacts with impulses connect and that
// has an anchor; one on the other body, which is prescribed.
Known ride(const Segment& segment, BodyId a, BodyId b);
Known ride_on(const Segment& segment, BodyId a, BodyId b);

// Velocity of a point in the screw motion from X to X_end, of chords beyond a quarter of a radian.
Vec3 screw_velocity_of(const Pose& X, const Pose& X_end, const Vec3& point, double h);

// Velocity of b relative to a along n, t1 and the stretched t2 by the motion of prescribed bodies
// from `poses` to `other` [m/s]. Where it depends on anchors that are not known, the one is taken
// whose component along n is nearest to `recorded`.
Vec3 contact_motion_with(const Segment& segment, const Contact& c, const std::vector<Pose>& poses,
                         const std::vector<Pose>& other, double h, double recorded);
// Whether the contact may ride on a prescribed body: the values that are possible.
std::vector<bool> ways_of_riding(const Segment& segment, const Contact& c);
// The same of a contact that does, and of one that does not.
Vec3 contact_motion_held(const Segment& segment, const Contact& c, const std::vector<Pose>& poses,
                         const std::vector<Pose>& other, double h);
Vec3 contact_motion_apart(const Segment& segment, const Contact& c, const std::vector<Pose>& poses,
                          const std::vector<Pose>& other, double h);

// What such a motion rounds with [m/s].
double motion_size(const Model& model, const Contact& c, const std::vector<Pose>& poses,
                   const Vec3& motion, double h);

inline constexpr double row_relative = 1e-11;  // of J and b [-]

}  // namespace cairn::record
