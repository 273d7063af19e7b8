// check, rebuilding problems: one step of `euler` or `relaxed` in progress. Its parts are in
// first_order.cpp (solves, momentum, joints) and first_order_normals.cpp (b of contacts).
#pragma once

#include "record/check/steps/first_order.hpp"

namespace cairn::record {

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
  void solve(std::size_t i);
  void compare_contacts(std::size_t i, const Place& place);
  void compare_momentum(std::size_t i, const Place& place);
  void compare_joints(std::size_t i, const Place& place, const MatchedRows& rows, const VecX* led);
  void compare_normals(std::size_t i, const Place& place, const MatchedRows& rows, const VecX* led);
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
