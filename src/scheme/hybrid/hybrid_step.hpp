// One step of `hybrid` in progress. Its parts are spread over files by idea: hybrid.cpp (the
// algorithm and the report), hybrid_contacts.cpp (bouncing or steady, E207), hybrid_steady.cpp (the
// complementarity problem, E209), hybrid_collision.cpp (when bodies meet, E210),
// hybrid_touching.cpp, hybrid_impact.cpp (impacts of a moment, E211 to E214), hybrid_response.cpp
// (their inverse mass, E206).
#pragma once

#include <optional>

#include "scheme/common/stop.hpp"
#include "scheme/euler/sub_step.hpp"
#include "scheme/hybrid/hybrid_data.hpp"

namespace cairn::scheme {

struct HybridStep {
  using Purpose = SolveRecord::Purpose;

  const Model& model;
  const Hybrid& options;
  const SolverOptions& solver;
  double h;  // of the whole step [s]
  StepData& data;
  StepReport& report;
  HybridData& d;
  Stop stopped = {};                 // why the step cannot be taken
  bool limited = false;              // events accumulate and are no longer looked for
  bool worn_out = false;             // a body has been hit in all the moments that it may
  std::optional<SubStep> part = {};  // from now over the length of the part

  // The algorithm.
  void integrate();
  void limit_events();
  void book(double work) const;
  void book_pass() const;
  void event(StepEvent::Kind kind, double t, const ContactKey& key, double speed);

  // Bouncing or steady.
  void find_bound_bodies();
  void find_contacts(double length);
  bool choose_steady();
  void spread_steady();
  void find_flying();
  void find_falling();
  bool is_steady(const ContactKey& key) const;
  void make_steady(const ContactKey& key);
  bool touches(double gap) const;
  bool touches(const Contact& c) const { return touches(c.gap); }
  double normal_rate(const Contact& c) const;
  double still_speed(const Contact& c) const;
  double switch_speed(const Contact& c) const;
  double curve_gain(const Contact& c) const;
  void set_window(double t);
  Vec3 motion_of(const Contact& c) const;
  Vec3 spin_of(const Contact& c) const;
  bool polyhedra(const ContactKey& key) const;

  // The part of the step between two events.
  void evaluate(double length);
  void take_part(double length);
  bool verify_part();
  void accept(double length);
  void record_path(double length);
  void release_opened(double length);

  // When bodies meet.
  double first_collision(double length);
  double meet(double tau, double left);
  bool hold_closed(double tau);
  double collision_time(const Watch& watch, double length);
  double crossing(const Watch& watch, double lo, double gap_lo, double hi, double gap_hi,
                  double length);
  void place(BodyId id, double tau, double length);
  double gap_at(const Watch& watch, double tau, double length);
  int pieces(const Watch& watch, double length) const;

  // Impacts of one moment.
  void impact();
  void gather_touching(Problem& problem);
  void add_spins(Touch& touch);
  void measure(Touch& touch, const Problem& problem);
  Vec3 velocity(const Touch& touch, const Problem& problem) const;
  Vec3 turning(const Touch& touch, const Problem& problem) const;
  bool pick(const Problem& problem);
  Touch& merge(const Problem& problem);
  void strike(const Problem& problem);
  void book_strike(const Touch& touch, const ImpactOutcome& out, double nudged, const Units& units);
  ImpactOutcome outcome(const Touch& touch, const Vec3& u, const Vec3& spin, bool& steady,
                        double& guard);
  double kinetic(const Problem& problem);
  void audit(const Touch& touch, double approach, const ImpactOutcome& out, double before,
             double guard, const Problem& problem);
  void push(const Constraint& row, const double* impulse, const Problem& problem, double* v) const;
  const VecX& mechanism_response(const Constraint& row, int r, const Problem& problem);
  void apply(const Touch& touch, const ImpactOutcome& out, const Problem& problem);
  void stop_together();
  void finish_impact(SolveRecord& record);
  void report_hit(const Touch& hit, const Problem& problem);
  void share_out(const Problem& problem);
  void count_moment();
};

}  // namespace cairn::scheme
