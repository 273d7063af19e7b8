// The energy of a step against its limits (E306). Reads the ledger and the states at both ends,
// writes the energy part of the verdict.
#include <Eigen/Cholesky>
#include <algorithm>
#include <cmath>
#include <fmt/format.h>

#include "accept/judge.hpp"
#include "accept/verdict_part.hpp"
#include "dynamics/forces.hpp"
#include "dynamics/kinematics.hpp"
#include "model/joint/joint_coordinate.hpp"

namespace cairn::accept {
namespace {

constexpr double least_share = 0x1p-4;  // of the limits on the energy that a part has [-]

// What a solve that is allowed a residual may do to the energy, of that residual [-].
constexpr double energy_per_tolerance = 500;

}  // namespace

// h |a| of applied forces in (E306), as the root of an energy: a body that is held against a force
// is judged by what the force would do to it, as one at rest in gravity is.
void Judge::find_loads(const Taken& taken) {
  load_roots_.clear();
  const Model& model = taken.model;
  if (model.applied_forces.empty() && taken.external.empty()) return;
  loads_.external.assign(taken.external.begin(), taken.external.end());
  dynamics::evaluate_loads(model, taken.before, loads_);
  for (const Body& body : model.bodies) {
    using Block = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor, 6, 6>;
    const auto f = loads_.applied.segment(body.first_velocity, body.velocities);
    double power = 0;
    if (body.velocities > 0 && !f.isZero(0)) {
      double A[6][6];
      dynamics::mass_matrix(body, A);
      const Block M =
          Eigen::Map<const Eigen::Matrix<double, 6, 6, Eigen::RowMajor>>(&A[0][0]).topLeftCorner(
              body.velocities, body.velocities);
      const Eigen::Matrix<double, Eigen::Dynamic, 1, 0, 6, 1> a = M.ldlt().solve(f);
      power = std::max(0.0, f.dot(a));
    }
    load_roots_.push_back(taken.nominal * std::sqrt(0.5 * power));
  }
}

// (E306). S is that of the whole step, however short the part.
double Judge::moving_energy(const Taken& taken) {
  const Model& model = taken.model;
  find_loads(taken);
  const Ledger& ledger = taken.report.ledger;
  const double fall = taken.nominal * model.gravity.norm();
  static constexpr double rest[6] = {};
  double scale[2] = {0, 0};
  for (std::size_t end = 0; end < 2; ++end) {
    const VecX& v = end == 0 ? taken.before.v : taken.after.v;
    for (std::size_t i = 0; i < model.bodies.size(); ++i) {
      const Body& body = model.bodies[i];
      if (body.velocities == 0) continue;
      const double kinetic = dynamics::mass_norm(body, v.data() + body.first_velocity, rest);
      // m (|v| + h|a|)^2 / 2 = (sqrt(K) + sqrt(m/2) h|a|)^2, spin included.
      double root = std::sqrt(kinetic) + std::sqrt(body.mass / 2) * fall;
      if (!load_roots_.empty()) root += load_roots_[i];
      scale[end] += root * root;
    }
  }
  double elements =
      std::abs(ledger.work_applied) + std::abs(ledger.work_motion) + std::abs(ledger.passive);
  for (const Spring& spring : model.springs)
    elements += std::abs(dynamics::spring_energy(spring, taken.after.poses) -
                         dynamics::spring_energy(spring, taken.before.poses));
  elements += std::abs(model::joint_spring_energy(model, taken.after.poses) -
                       model::joint_spring_energy(model, taken.before.poses));
  return std::max(scale[0], scale[1]) + elements;
}

// Rounding of the sums that the terms of the ledger are differences of.
double Judge::energy_rounding(const Taken& taken) const {
  const Ledger& ledger = taken.report.ledger;
  double size = std::abs(ledger.kinetic_start) + std::abs(ledger.kinetic_end) +
                std::abs(ledger.potential_start) + std::abs(ledger.potential_end);
  for (std::size_t i = 0; i < taken.model.bodies.size(); ++i)
    if (taken.model.bodies[i].velocities > 0)
      size +=
          taken.model.bodies[i].mass * std::abs(taken.model.gravity.dot(taken.after.poses[i].p));
  return 0x1p-48 * size;
}

void Judge::judge_energy(const Taken& taken, Verdict& out) {
  const Ledger& ledger = taken.report.ledger;
  const double moved = moving_energy(taken), noise = energy_rounding(taken);
  out.energy = {};
  out.energy_error = out.integrator = 0;
  if (!(moved > 0)) return;
  // Parts of a step share its limits, so that their sum stays within them.
  const double share = std::max(least_share, taken.length / taken.nominal);
  auto term = [&](double joules, const char* what, double looser = 0) {
    const double figure = std::max(0.0, joules - noise) / moved;
    out.energy_error = std::max(out.energy_error, figure);
    take(figure, share * std::max(limits_.energy, looser), out.energy, [&] {
      return fmt::format("{} {:.3g} J, {:.2g} of the energy that moves", what, joules, figure);
    });
  };
  const double by_tolerance = energy_per_tolerance * tolerance(solver_);
  term(std::abs(ledger.solver), "the residual of the solver is worth", by_tolerance);
  term(std::abs(taken.report.projection_work), "the projection changes the energy by");
  term(std::abs(ledger.imbalance()), "the terms of the energy ledger miss each other by");
  term(ledger.passive, "springs and dampers put in");
  // Contacts that are springs, and delayed restitution, return what they took: a negative loss.
  const double returned = taken.elastic ? std::max(0.0, -ledger.impact) : 0;
  // (E700): a kick that turns an approach into an opening is a loss of the integrator and a work of
  // the opening at once.
  const bool divided = !taken.report.divided.empty();
  const double turned =
      divided ? std::clamp(ledger.stabilisation, 0.0, std::max(0.0, -ledger.integrator)) : 0;
  term(ledger.rise() - ledger.integrator - returned - turned, "the energy rises without work by",
       by_tolerance);
  out.integrator = ledger.integrator / moved;
  take(std::max(0.0, ledger.integrator - noise) / moved, share * limits_.integrator, out.energy,
       [&] {
         return fmt::format("the integrator puts in {:.3g} J, {:.2g} of the energy that moves",
                            ledger.integrator, out.integrator);
       });
}

}  // namespace cairn::accept
