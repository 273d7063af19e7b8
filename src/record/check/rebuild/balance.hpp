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

// Schemes of first order (E30, E360 to E362). `middle`: loads at half the part (E209).
Balance first_order_balance(const Segment& segment, const Place& place, const Problem& problem,
                            bool middle);

// The trapezoidal rule (E160 to E163, E423): k = A v_half + impulses.
Balance trapezoidal_balance(const Segment& segment, const Place& place, const Problem& problem,
                            bool damp_stiff, bool limited);

// k = M v: no time passes.
Balance instant_balance(const Segment& segment, const Place& place, const Problem& problem);

// Compares A, and k unless `masses_alone`.
void compare_balance(const Segment& segment, std::size_t solve, const Problem& problem,
                     const Balance& balance, bool masses_alone = false);

}  // namespace cairn::record
