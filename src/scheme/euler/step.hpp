// One step of `euler` or `relaxed` in progress: the arguments of advance() under one roof. Its
// parts are spread over files by idea: euler.cpp (order, solve, report), step_rows.cpp (E31, E32),
// restitution.cpp (E33, E34), energy_guard.cpp (E35), impact_at_once.cpp (E229), impact_audit.cpp
// (E228), nonlinear.cpp (E82, E83), relaxed.cpp (E90 to E93), positions.cpp (E38, E84, E320),
// anchors.cpp (E441, E442), payment.cpp (E39, E322).
#pragma once

#include "scheme/euler/euler.hpp"
#include "scheme/euler/step_data.hpp"

namespace cairn::scheme {

struct Step {
  using Purpose = SolveRecord::Purpose;

  const Model& model;
  const Euler& options;
  FrictionRule friction;
  const SolverOptions& solver;
  double h;
  StepData& data;
  const State& state;  // at the beginning
  StepReport& report;

  void predict();
  double part_gap_rate(const Contact& c, const Vec3& motion) const;
  Vec3 motion_of(const Contact& c) const;
  void find_riders();
  bool rides(const ContactKey& key) const;
  bool keeps_start(BodyId a, BodyId b) const;
  bool keeps_start(const ContactKey& key) const { return keeps_start(key.body_a, key.body_b); }
  void measure_contacts();
  void solve(Purpose purpose, double theta, bool follow = true);
  void add_joints(Problem& problem);
  void add_drives(Problem& problem);
  void add_spins(Problem& problem);
  RowTerms contact_terms(std::size_t contact, int row) const;
  void renew_contact_terms();
  void keep_impulses(const SolveRecord& record);
  void move_bodies(const SolveRecord& record);
  void find_velocities();
  bool add_missed_contacts();
  void report_contacts();
  const SolveRecord& last() const { return report.solves.back(); }

  // Restitution and the energy guard.
  double threshold(const Contact& c) const;
  bool mark_impacts();
  double restitute();
  void begin_guard();
  double step_excess(const SolveRecord& record);
  void find_excess(const SolveRecord& record, std::vector<double>& excess);
  void find_energies(const Problem& problem, const VecX& v, std::vector<double>& energies);
  double guard_share(std::size_t contact) const;
  bool reduce_restitution(double factor);
  int unsolved_group() const;
  bool anything_bounces() const;
  bool guard_settled(double theta);

  // Impacts before the forces of the step, and the energies of impacts.
  bool impacts_at_once() const;
  double collide_at_once();
  void audit_impacts();

  // From the relaxed law to Coulomb's.
  void correct(double theta);
  double coulomb_residual();
  double slip(std::size_t contact) const;
  double lift(std::size_t contact) const;
  void save_slips(std::vector<double>& slips) const;
  void restore_slips(const std::vector<double>& slips);
  void save_springs(std::vector<dynamics::SpringRow>& rows) const;
  void go_back_to(int solve, std::span<const dynamics::SpringRow> rows);

  // Gaps and joints at the end of the step.
  bool settle(double theta);
  void linearise_again();
  std::span<const Pose> row_poses(const Contact& c) const;
  bool release_isolated();
  bool keeps_rows(const Joint& joint) const;
  bool keeps_rows(const Constraint& c) const;
  void find_free_groups();
  void keep_momentum();
  void turn_columns(Problem& problem) const;
  void shift_joint_rows(Problem& problem);
  double nonlinear_residual();
  double contact_residual(std::size_t i);
  double joint_residual();
  double row_distance();
  double joint_target(std::size_t row) const;

  // Positions after the step.
  void find_kept_coordinates();
  bool close_joints(std::span<const Contact> beginning);
  bool sticks(std::size_t contact) const;
  bool moves_as_one(const Contact& c, const Vec3& prescribed_spin) const;
  void find_anchors(std::span<const Contact> beginning);
  void select_anchors();
  void drop_open_anchors();
  bool release_anchors(std::span<const Contact> beginning);
  void give_up_anchors();
  void follow_anchors(VecX& v, std::vector<Pose>& poses) const;
  double pressed_by(std::size_t contact, const Contact& beginning) const;
  bool is_pressed(std::size_t contact, const Contact& beginning);
  bool presses_others(std::span<const Contact> beginning);
  bool may_spare() const;
  bool spare_others();
  double pressed_noise() const;
  Squeeze keep_gaps();
  bool joints_give_way() const;
  bool finite_energy() const;
  void open_overlaps();
  void account_for_projection();
  void record_path(const VecX& v_first) const;
  void pay_for_projection();
  void find_payers();
  void find_pushed();
  void add_frame(const Constraint& c);
  bool problem_row_presses(std::size_t constraint) const;
  bool find_carried();
  bool find_least_carried();
  void carry(std::size_t i, std::size_t with, double* u) const;
  double slip_of(std::size_t constraint) const;
  void pay_relative();

  // Springs and dampers whose impulses are found where the step ends (E465 to E468), beside joints
  // where these are closed (E740 to E744).
  bool follow_springs(SolveRecord& record);
  bool close_ends(const VecX& v);
  dynamics::FollowingError measure_springs(const VecX& v, bool linear);
  double energy_of_closing() const;
  bool pay_for_springs();
  void find_spring_gains();
  void find_spring_frames();
  void slow_down(std::size_t group);
  void pay_along_springs(std::size_t group);
};

// direction . (velocity of b - velocity of a) at the contact point, of the free bodies.
double relative_velocity(const Model& model, std::span<const Pose> poses, const Contact& c,
                         const Vec3& direction, const VecX& v);

// Kinetic energy of the bodies of an island, v in the problem's units [J].
double island_energy(const Problem& problem, const problem::Islands& islands, int island,
                     const VecX& v);

// The larger change of the velocities of the two bodies' centres of mass.
double velocity_gain(const Model& model, const Contact& c, const VecX& from, const VecX& to);

}  // namespace cairn::scheme
