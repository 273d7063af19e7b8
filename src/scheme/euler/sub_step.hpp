// A sub-step of `euler` for a scheme that finds contacts and free velocities itself (E209): rows,
// solve, projection and energies over a part of the time. The caller gives values and reads values;
// everything in between is the sub-step's own.
#pragma once

#include <span>

#include "scheme/common/stop.hpp"
#include "scheme/euler/step.hpp"

namespace cairn::scheme {

// Not kept beyond SubStep::solve(), save for `start`.
struct SubStepInputs {
  const State& start;
  double length = 0;  // [s]
  const Prediction& ahead;
  std::span<const Contact> contacts;  // at the start, sorted by key
  std::span<const char> flies;        // by body: nothing but gravity acts on it
  std::span<const char> falls;        // by body: in an island that nothing holds (E408)
};

// (E408): how far the parabola is from the straight path after tau of a part.
Vec3 drop(const Model& model, const Body& body, double tau, double length);

class SubStep {
 public:
  // `report` is an output: the solves of the part and what they did. It and `data` live as long as
  // the sub-step.
  SubStep(const Model& model, const Euler& options, const SolverOptions& solver, StepData& data,
          const SubStepInputs& in, StepReport& report);

  // Finds the velocities and poses at the end; empty: it could.
  Stop solve(const SubStepInputs& in);
  // Adds to `contacts` those of `active` that the solve missed, as they are at the start. True:
  // there are some, and the part has to be taken again.
  bool add_missed(std::vector<Contact>& contacts);
  // Draws up the accounts; contacts and figures are in the report.
  Ledger finish();

  // After solve(); finish() corrects them by what the projection costs.
  const VecX& v() const { return data_.v.end; }
  const std::vector<Pose>& poses() const { return data_.poses.end; }
  // After finish().
  const VecX& v_solved() const { return data_.v.solved; }
  const std::vector<Contact>& contacts() const { return data_.contacts; }  // as solved for
  const std::vector<ImpulseMemory>& impulses() const { return data_.impulses; }
  const std::vector<ContactAnchor>& anchors() const { return data_.sticking.anchors; }
  // Copies the solve that gave the velocities, with what it takes to pose it again.
  void copy_record(SolveRecord& record) const;
  // Adds the path from the start with the velocities v_first.
  void record_path(const VecX& v_first) const { step_.record_path(v_first); }

 private:
  StepData& data_;
  Step step_;
};

}  // namespace cairn::scheme
