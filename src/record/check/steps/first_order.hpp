// check, rebuilding problems (E387 to E389): a step of `euler` or `relaxed`, its solves and its
// energies.
#pragma once

#include "record/check/rebuild/balance.hpp"
#include "record/check/rebuild/rows.hpp"

namespace cairn::record {

// The constant term of a contact's normal row by origin, as in (E31) to (E34) [m/s].
struct NormalTerms {
  double gap = 0;      // rate at which the gap may close
  double closing = 0;  // the part of it that closes a distance of the beginning
  double bounce = 0;
  double slip = 0;      // of scheme relaxed (E92)
  double approach = 0;  // at the beginning, < 0: it closes
  Vec3 motion = Vec3::Zero();
  bool impact = false;
  bool known = true;
};

// The row of a contact of a first-order step before impacts are known; `held`: with the motion of
// prescribed bodies of a contact that rides on one (E600).
struct StartTerms {
  double gap = 0;  // zero where it is rounding (E443) [m]
  double gap_rate = 0, target = 0, approach = 0;
  Vec3 motion = Vec3::Zero();
};
StartTerms start_terms(const Segment& segment, const Euler& options, const Contact& c,
                       const std::vector<Pose>& poses, const std::vector<Pose>& poses_end,
                       const VecX& v, double h, double share, bool held);

// Whether a row of a problem that is linearised again may be that of the beginning because its
// bodies are held beside anchors (E601): the values that are possible.
std::vector<bool> ways_of_keeping(const Segment& segment, const ContactRow& row,
                                  const Contact& first);

// Slowest approach that is an impact (E33); `share` of the step that the part is [m/s].
double impact_threshold(const Model& model, const Place& place, const Balance& balance,
                        const Contact& c, double share);

// Bodies of a problem by island: those that rows or springs connect.
std::vector<int> islands_of(const Problem& problem);

// Energies of a part of first order from the solve that gave its velocities (E20 to E24, E361).
// `moved`: poses before any projection; what the projection did is not in it.
Ledger first_order_ledger(const Segment& segment, const SolveRecord& record, const Place& place,
                          const Balance& balance, const MatchedRows& rows,
                          std::span<const NormalTerms> terms, const VecX& v_start,
                          const std::vector<Pose>& moved);

// All solves of the segment.
void check_first_order(const Segment& segment, const Euler& options, Law law, SegmentOutcome& out);

// Velocity at a contact by the motion of prescribed bodies at the moment of an impact [m/s].
Vec3 motion_of_moment(const Segment& segment, const Place& place, const Contact& c);

// w = J v + b of a constraint in SI, with its impulses; v in the problem's units.
struct PhysicalRow {
  Vec3 w = Vec3::Zero(), impulse = Vec3::Zero();
};
PhysicalRow physical_row_of(const SolveRecord& record, std::size_t constraint);

// Support of a contact's friction section against the slip w_T, times friction [m/s].
double slip_support(const Constraint& c, const Vec3& w);

// What a solve says of a contact: impulse, velocity (with the motion of prescribed bodies), mode.
ContactReport contact_report_of(const Segment& segment, const SolveRecord& record,
                                const Place& place, const ContactRow& row, const Vec3& motion);
// Adds what another solve says of a contact: impulses add up, the rest is that of the later one.
void merge_report(const ContactReport& next, std::vector<ContactReport>& all);
// Adds the torques of discs to the contacts they belong to.
void add_torques(const SolveRecord& record, std::span<const std::size_t> discs, const Model& model,
                 std::vector<ContactReport>& contacts);

}  // namespace cairn::record
