// One step of `penalty` in progress: the springs of penalty_newton.cpp, the report of penalty.cpp.
#pragma once

#include "scheme/common/stop.hpp"
#include "scheme/euler/step.hpp"

namespace cairn::scheme {

struct PenaltyStep {
  const Penalty& options;
  Step& base;
  PenaltyData& d;

  void find_velocities(SolveRecord& record);
  Stop unstable();
  void report_contacts(const Units& units);

 private:
  void lay_springs();
  void load(ContactSpring& spring) const;
  double evaluate(const VecX& v);
  void follow(const VecX& v);
  void find_springs_at(const VecX& v);
  void place(std::size_t i, const VecX& v);
  bool release_isolated();
  void make_linear(const VecX& v, bool weights);
  double merit(const VecX& v);
  void search(bool free);
  void iterate(SolveRecord& record);
  void fill_record(const VecX& v, const VecX& joint_impulses, SolveRecord& record) const;
};

// Velocity along a spring's row, prescribed motion included, in the problem's units.
double along(const ContactSpring& spring, const Problem& problem, const VecX& v);

}  // namespace cairn::scheme
