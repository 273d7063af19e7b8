// One step of `trapezoidal` in progress. Its parts are spread over files by idea: trapezoidal.cpp
// (the algorithm, Potra et al. 2006 section 8), trapezoidal_solve.cpp (the smooth problem, E160 to
// E167), trapezoidal_project.cpp (E168, E169), trapezoidal_events.cpp (active set and collision
// times, E170 to E172), impact.cpp (E173, E174), trapezoidal_accuracy.cpp (E182), modes.cpp (E175),
// instant.cpp and release.cpp (E176, E184, E185), trapezoidal_ledger.cpp (E180, E181),
// trapezoidal_jumps.cpp (E660 to E663).
#pragma once

#include "scheme/common/root.hpp"
#include "scheme/common/stop.hpp"
#include "scheme/euler/step_data.hpp"

namespace cairn::scheme {

// Share of the kinetic energy that a projection or a correction of gaps may change (E169) [-].
inline constexpr double payable = 0x1p-10;

struct TrapezoidalStep {
  using Purpose = SolveRecord::Purpose;
  using Side = TimeFunction::Side;  // of a moment: before or after it (E661)

  const Model& model;
  const Trapezoidal& options;
  const SolverOptions& solver;
  double h;  // of the whole step [s]
  StepData& data;
  StepReport& report;
  TrapezoidalData& d;
  Stop stopped = {};        // why the step cannot be taken
  bool limited = false;     // events accumulate and are no longer looked for
  bool alternates = false;  // velocities change their sign by stiffness alone
  double part_end = never;  // where a force or motion jumps at the end of the part, else never [s]

  // The algorithm.
  void run(bool first_of_run);
  void integrate(double length);
  void integrate_accurately(double whole_length);
  void save_part();
  void restore_part();
  void accept(const SolveRecord& record);
  void scale_memory();

  // Projection.
  void project(Phase& phase, const SolveRecord& record, double share);
  void add_spring_work(std::span<const Pose> closed);
  void add_correction_work(const SolveRecord& record, double share);
  void pay_for_projection(Phase& phase, const Problem& problem, bool springs);
  void find_turned(const Problem& problem);

  // The smooth problem.
  void solve_smooth(double length, SolveRecord& record);
  void follow_springs(double length, SolveRecord& record);
  bool beside_joints() const;
  void move_on(double length, const SolveRecord& record);
  void set_momentum(Problem& problem);  // k = A v + impulses of the forces
  void add_implicit_terms(Problem& problem);
  void add_joints(std::span<const Pose> poses, std::span<const Pose> before,
                  std::span<const Pose> after, double window, Problem& problem);
  double gap_correction(const Contact& c, double gap, double length);
  void turning_joints(const Problem& problem);
  void add_smooth_rows(double length, Problem& problem);
  void finish_solve(SolveRecord& record);
  void drift_on(double length);
  bool mean_form() const { return !limited && options.form == TrapezoidalForm::mean; }

  // Contacts and events.
  void find_contacts(double length);
  // No work is left for events (E314).
  bool events_spent() const { return data.in.meter && data.in.meter->beyond(share_for_events); }
  double touching_distance() const;
  double still_speed(const Contact& c) const;
  double normal_velocity(const Contact& c, const VecX& v);
  bool contact_at(const ContactKey& key, std::span<const Pose> poses, Contact& c);
  bool approaches_now();
  double first_collision(double length);
  double collision_time(const Contact& c, double length);
  double stiff_collision(double length);
  bool stiff() const { return d.forces.stiffest > 1; }  // velocities alternate from here on
  double gap_at(const ContactKey& key, double tau);
  double meet(double tau, double length, SolveRecord& record);
  bool isolated_impulses(const SolveRecord& record);
  void collide(double& tau, double length);
  void limit_events();

  // Forces and motions that jump.
  bool jumps_at(double t, double length) const;
  bool motion_jumps_now() const;
  double until_jump(double left) const;
  bool joints_contradict();
  void meet_jump(bool first_of_run);

  // Impacts.
  void impact();
  void gather_touching();
  double window() const;  // over which prescribed velocities are taken [s]
  void set_window(double t, Side side = Side::right);
  Vec3 motion_of(const Contact& c, std::span<const Pose> poses);
  Vec3 motion_of(const Contact& c) { return motion_of(c, d.now.poses); }
  double threshold(const Contact& c);
  void solve_impact(Purpose purpose, const VecX& v, std::span<const char> held);
  void add_impact_rows(Problem& problem, std::span<const char> held);
  void keep_instant(const Problem& problem, const VecX& v, SolveOrigin& origin);
  void relax_dampers();
  void release_separating();

  // Stick and slip.
  bool restart_at_stick(double& left);
  bool rests_now(const Contact& c);
  Vec3 slip_at(const ContactKey& key, const Phase& phase, Side side = Side::right);
  std::span<const Corner> corners(const Contact& c) const;  // of its friction section, if any
  bool was_sticking(const Contact& c, double share) const;
  double stick_time(std::size_t contact, const Vec3& slip, double length, double end_value);
  double stick_function(std::size_t contact, const Vec3& slip, const SolveRecord& record);
  void hold(double slip);
  void solve_hold();
  bool jam(std::size_t contact);

  // Contacts that leave their mode.
  bool restart_at_release(double length, double& left);
  void find_modes(const SolveRecord& record);
  void watch(const SolveRecord& record, double length);
  bool may_release(const Watched& watched, const SolveRecord& record, double length) const;
  double basis_function(double tau);
  double mode_function(const Watched& watched, const TrapezoidalStep& instant);
  bool report_releases(double t);
  const ImpulseMemory* last_impulse(const ContactKey& key) const;

  // Forces at one instant.
  TrapezoidalStep probe();
  void solve_instant(double length, SolveRecord& record);
  void joint_rates(const Phase& phase, Side side, std::vector<double>& rates);
  Vec3 velocity_at(const Contact& c, const Phase& phase, Side side);
  Vec3 turning_rate(const ContactKey& key);
  double instant_length() const { return 0x1p-12 * h; }

  // Energies.
  void add_smooth_ledger(const SolveRecord& record, double share);
  void add_impact_ledger(const SolveRecord& record, const VecX& before, const VecX& after);

  void report_contacts(const SolveRecord& record);
};

// Unit vector along the edge between two vertices of the friction polygon, over n, t1, t2.
Vec3 edge_direction(std::span<const Corner> corners, const std::array<int, 2>& vertices);

}  // namespace cairn::scheme
