// check, rebuilding problems (E382, E383): the momentum balance A v = k of a problem from the scene
// and the state at its beginning.
#pragma once

#include <array>
#include <map>
#include <utility>
#include <vector>

#include "record/check/rebuild/mechanics.hpp"
#include "record/check/rebuild/place.hpp"

namespace cairn::record {

// A spring or damper along one direction: adds weight j^T j to A.
struct ElementRow {
  std::array<BodyId, 2> bodies = {BodyId::world, BodyId::world};
  std::array<Row6, 2> j = {Row6::Zero(), Row6::Zero()};  // SI, with the sign of the side
  double elastic = 0, viscous = 0;                       // implicit weights [kg]
  double tension = 0;                                    // at the beginning [N]
  double damping = 0;                                    // [N s/m]
  double motion = 0;                                     // of prescribed ends [m/s]
  double stiffness = 0;                                  // [N/m]
  // Impulses found where the step ends (E460 to E467).
  bool follows = false, across = false;
  bool held = false;         // a joint of both bodies holds the length (E741)
  bool elastic_law = false;  // trapezoidal rule: a spring, with its damper
  double soft = 1;           // share of the weight in A [-]
  double share = 0;          // of the turning in the rate of the damper [-]
  double law = 0;            // impulse [N s]
  double drag = 0;           // of the damper in it [N s]
  double drag_rate = 0;      // its rate [m/s]
  std::array<Vec3, 2> anchors = {Vec3::Zero(), Vec3::Zero()};  // in the bodies [m]
  double distance = 0;                                         // of the ends at the beginning [m]

  double weight() const { return elastic + viscous; }
  double rate(const Model& model, const VecX& v) const;  // of the free bodies
};

// SI; per body of the problem.
struct Balance {
  std::vector<Block6> A;
  std::map<std::pair<int, int>, Block6> couplings;  // row, column body
  std::vector<Row6> k, size;                        // size: sum of the magnitudes of the terms
  VecX v_half;                                      // trapezoidal rule: after half of the drift
  VecX v_free;                                      // velocities without constraints, of the model
  bool known = true;  // false: too many bodies hang on springs to find v_free
  std::vector<ElementRow> springs, dampers;
  VecX potential, applied, gyroscopic;  // impulses of the forces, of flight, of the model
  double work_motion = 0;  // scheme trapezoidal: of prescribed bodies through springs [J]
};

// A joint holds one of the bodies of a spring.
bool beside_joints(const Model& model, const std::array<BodyId, 2>& bodies);

// Schemes of first order (E30, E360 to E362). `middle`: loads at half the part (E209).
Balance first_order_balance(const Segment& segment, const Place& place, const Problem& problem,
                            bool middle);

// The same with stiff springs and dampers that follow the velocities v to the end of the step (E465
// to E467).
Balance followed_balance(const Segment& segment, const Place& place, const Problem& problem,
                         const Balance& balance, const VecX& v);

// The one of the two that the problem was built with: springs that are followed, or where that does
// not contract (E467) the others.
Balance chosen_balance(const Segment& segment, const Place& place, const SolveRecord& record,
                       const Balance& balance);

// The trapezoidal rule (E160 to E163, E423): k = A v_half + impulses. Springs and dampers follow
// the solved velocities v (E460 to E464); null: the drift from those of the beginning.
Balance trapezoidal_balance(const Segment& segment, const Place& place, const Problem& problem,
                            bool damp_stiff, bool limited, const VecX* v);

// k = M v: no time passes.
Balance instant_balance(const Segment& segment, const Place& place, const Problem& problem);

// A and k of the problem are those of the balance.
bool balance_agrees(const Segment& segment, const Problem& problem, const Balance& balance);

// Compares A, and k unless `masses_alone`.
void compare_balance(const Segment& segment, std::size_t solve, const Problem& problem,
                     const Balance& balance, bool masses_alone = false);

}  // namespace cairn::record
