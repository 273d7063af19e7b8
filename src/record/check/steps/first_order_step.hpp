// check, rebuilding problems: one step of `euler` or `relaxed` in progress. Its parts are in
// first_order.cpp (solves, momentum, joints) and first_order_normals.cpp (b of contacts).
#pragma once

#include "record/check/steps/first_order.hpp"

namespace cairn::record {

// The row of a contact along its normal in a solve.
struct NormalRow {
  std::size_t solve;
  const ContactRow& row;
  const Contact& found;  // the contact at the beginning
  const Place& place;
  const std::vector<Pose>& end;  // of prescribed bodies at the end
  const VecX* led;               // velocities that led to the rows; null: they are of the beginning
};

// All that the solves of one step share.
struct StepCheck {
  const Segment& s;
  const Euler& options;
  Law law;
  Place beginning;
  Balance balance;
  VecX v_start;  // where the forces act from (E229)
  bool at_once = false;
  Place collided_at;                 // of the solves before the forces, where there are some
  std::size_t plastic = 0;           // the solve that tells what collides
  std::vector<ContactKey> pressing;  // contacts that carry an impulse in it, sorted
  bool geometry_known = false;       // the reported contacts have been compared
  std::vector<NormalTerms> last_terms;
  MatchedRows last_rows;
  Balance last_balance;  // of the solve compared last

  void run(SegmentOutcome& out);
  void report(SegmentOutcome& out) const;
  void report_collisions(const SolveRecord& record, const Place& place, SegmentOutcome& out) const;
  void solve(std::size_t i);
  void compare_contacts(std::size_t i, const Place& place);
  void compare_momentum(std::size_t i, const Place& place);
  void compare_joints(std::size_t i, const Place& place, const MatchedRows& rows, const VecX* led);
  void compare_normals(std::size_t i, const Place& place, const MatchedRows& rows, const VecX* led);
  std::string find_terms(const NormalRow& at, bool held, bool kept, NormalTerms& t) const;
  bool find_bounce(double recorded, double rebound, double allowed,
                   const std::vector<double>& slips, Purpose purpose, NormalTerms& t) const;
  double delayed_bounce(const Contact& found, const Place& place, const StartTerms& start) const;
  double rebound_of(const Contact& found, const StartTerms& start, double h) const;
  bool keeps_gone_feature(std::size_t i, const ContactRow& row, const Place& place) const;
  void collision(std::size_t i, const Place& place, const MatchedRows& rows);
  // The impact before the forces as a whole (E523): its losses, and whether the reported impulses
  // are those of the recorded velocities.
  bool add_impact_losses(SegmentOutcome& out) const;
  bool impact_balances() const;
  bool collides(const Contact& c, const StartTerms& start, bool& sure) const;
  double threshold_of(const Contact& c) const;
  std::vector<double> slips_of(const ContactKey& key) const;
};

inline std::vector<Pose> end_poses(const Segment& s, const Place& place, const VecX& v) {
  return led_poses(s, place, v, place.length);
}

inline bool is_collision(SolveRecord::Purpose p) {
  return p == Purpose::compression || p == Purpose::decompression || p == Purpose::impact;
}

inline bool bounces_in(SolveRecord::Purpose p) {
  return p == SolveRecord::Purpose::restitution || p == SolveRecord::Purpose::guard;
}

}  // namespace cairn::record
