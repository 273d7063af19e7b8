#include <cmath>
#include <fmt/format.h>

#include "record/check/rebuild/balance.hpp"

namespace cairn::record {
namespace {

constexpr double balance_relative = 1e-11;  // a few dozen additions and a Newton iteration [-]

}  // namespace

void compare_balance(const Segment& s, std::size_t solve, const Problem& problem,
                     const Balance& balance, bool masses_alone) {
  std::map<std::pair<int, int>, Block6> left = balance.couplings;
  std::vector<Row6> scale(problem.bodies.size());
  for (std::size_t i = 0; i < problem.bodies.size(); ++i) {
    const ProblemBody& b = problem.bodies[i];
    const Body& body = s.model.bodies[static_cast<std::size_t>(b.model_body)];
    const UnitFactors f = unit_factors(body, problem.units);
    scale[i] = balance.A[i].diagonal().cwiseAbs().cwiseSqrt();
    double wrong = 0;
    for (int r = 0; r < b.size; ++r)
      for (int c = 0; c < b.size; ++c) {
        const double recorded = b.A[r][c] * f.momentum[r] / f.velocity[c];
        const double allowed =
            balance_relative * (scale[i][r] * scale[i][c] + std::abs(balance.A[i](r, c)));
        if (!(std::abs(recorded - balance.A[i](r, c)) <= allowed))
          wrong = std::max(wrong,
                           std::abs(recorded - balance.A[i](r, c)) / (scale[i][r] * scale[i][c]));
      }
    if (wrong > 0 || std::isnan(wrong))
      s.say(solve, FindingCode::mass,
            fmt::format("the mass matrix of {} differs from the scene's by {:.3g} of it", body.name,
                        wrong));
    if (masses_alone) continue;
    for (int r = 0; r < b.size; ++r) {
      const double recorded = problem.k[b.first + r] * f.momentum[r];
      // Components of a rotation share their rounding.
      const double size =
          balance.size[i]
              .segment(r < b.size - 3 || body.rotation != RotationKind::three ? r : b.size - 3,
                       r < b.size - 3 || body.rotation != RotationKind::three ? 1 : 3)
              .cwiseAbs()
              .maxCoeff();
      if (std::abs(recorded - balance.k[i][r]) <= balance_relative * size) continue;
      s.say(solve, FindingCode::force,
            fmt::format(
                "momentum {} of {} without constraints recorded as {:.12g}, the scene's forces "
                "give {:.12g} N s",
                r, body.name, recorded, balance.k[i][r]));
      break;
    }
  }
  for (const BodyCoupling& c : problem.couplings)
    for (std::size_t side = 0; side < 2; ++side) {
      const int row = c.body[side], column = c.body[1 - side];
      const auto at = [&](int i) -> const Body& {
        return s.model.bodies[static_cast<std::size_t>(
            problem.bodies[static_cast<std::size_t>(i)].model_body)];
      };
      const UnitFactors fr = unit_factors(at(row), problem.units),
                        fc = unit_factors(at(column), problem.units);
      Block6& block = left.try_emplace({row, column}, Block6::Zero()).first->second;
      for (int r = 0; r < at(row).velocities; ++r)
        for (int k = 0; k < at(column).velocities; ++k)
          block(r, k) -= c.A[side][r][k] * fr.momentum[r] / fc.velocity[k];
    }
  for (const auto& [at, block] : left) {
    const Row6 &a = scale[static_cast<std::size_t>(at.first)],
               &b = scale[static_cast<std::size_t>(at.second)];
    for (int r = 0; r < 6; ++r)
      for (int c = 0; c < 6; ++c)
        if (!(std::abs(block(r, c)) <= balance_relative * a[r] * b[c])) {
          s.say(solve, FindingCode::mass,
                "the coupling of two bodies by springs differs from the scene's");
          return;
        }
  }
}

bool balance_agrees(const Segment& s, const Problem& problem, const Balance& balance) {
  bool agrees = true;
  const Complain note = [&](FindingCode, const std::string&) { agrees = false; };
  Segment quiet{s.model,  s.scheme,      s.start,  s.length,   s.nominal, s.allowed_overlap,
                s.solves, s.first_solve, s.report, s.reported, note,      s.unverified,
                s.end,    s.v_end};
  compare_balance(quiet, 0, problem, balance);
  return agrees;
}

}  // namespace cairn::record
