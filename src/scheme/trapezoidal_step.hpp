// One step of `trapezoidal` in progress. Its parts are spread over files by idea: trapezoidal.cpp
// (the algorithm, paper 003 section 8), trapezoidal_solve.cpp (the smooth problem, E160 to E169),
// trapezoidal_events.cpp (active set and collision times, E170 to E172), impact.cpp (E173, E174),
// modes.cpp (E175, E176), trapezoidal_ledger.cpp (E180, E181).
#pragma once

#include "scheme/step_data.hpp"

namespace cairn {

struct TrapezoidalStep {
  using Purpose = SolveRecord::Purpose;

  const Model& model;
  const Trapezoidal& options;
  const SolverOptions& solver;
  double h;  // of the whole step [s]
  StepData& data;
  StepReport& report;
  TrapezoidalData& d;
  std::string stopped = {};  // why the step cannot be taken
  bool limited = false;      // events accumulate and are no longer looked for

  // The algorithm.
  void integrate(double length);
  void accept(const SolveRecord& record);
  void project(Phase& phase, const Problem& problem);
  void pay_for_projection(Phase& phase, const Problem& problem);

  // The smooth problem.
  SolveRecord& new_record(Purpose purpose);
  void solve_smooth(double length, SolveRecord& record);
  void add_implicit_terms(double length, Problem& problem);
  void add_joints(std::span<const Pose> poses, std::span<const Pose> before,
                  std::span<const Pose> after, double window, Problem& problem);
  void add_smooth_rows(double length, Problem& problem);
  void finish_solve(SolveRecord& record);
  bool mean_form() const { return !limited && options.form == TrapezoidalForm::mean; }

  // Contacts and events.
  void find_contacts(double length);
  double touching_distance() const;
  double still_speed(const Contact& c) const;
  double normal_velocity(const Contact& c, const VecX& v);
  bool contact_at(const ContactKey& key, std::span<const Pose> poses, Contact& c);
  bool approaches_now();
  double first_collision(double length);
  double collision_time(const Contact& c, double length);
  double gap_at(const ContactKey& key, double tau);
  void collide(double tau, double length);
  void limit_events();

  // Impacts.
  void impact();
  void gather_touching();
  void set_window(double t);
  Vec3 motion_of(const Contact& c, std::span<const Pose> poses);
  Vec3 motion_of(const Contact& c) { return motion_of(c, d.now.poses); }
  double threshold(const Contact& c);
  void solve_impact(Purpose purpose, const VecX& v, std::span<const double> push,
                    std::span<const double> speed, std::span<const char> held = {});
  void add_impact_rows(Problem& problem, std::span<const double> push,
                       std::span<const double> speed, std::span<const char> held);
  void relax_dampers();
  void release_separating();

  // Stick and slip.
  bool restart_at_mode_change(double& left);
  bool restart_at_stick(double& left);
  bool restart_at_release(double& left);
  double release_function(std::size_t contact, bool opens, const SolveRecord& record) const;
  Vec3 slip_at(const ContactKey& key, const Phase& phase);
  bool was_sticking(const Contact& c, double share) const;
  double stick_time(std::size_t contact, const Vec3& slip, double length, double end_value);
  double stick_function(std::size_t contact, const Vec3& slip, const SolveRecord& record);
  void hold(double slip);
  void solve_hold();
  bool jam(std::size_t contact);

  // Energies.
  void add_smooth_ledger(const SolveRecord& record, double share);
  void add_impact_ledger(const SolveRecord& record, const VecX& before, const VecX& after,
                         std::span<const double> push);

  void report_contacts(const SolveRecord& record);
};

}  // namespace cairn
