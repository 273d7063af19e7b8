// check, rebuilding problems (E388): an impact of one moment, compression and what follows it.
#include <cmath>
#include <fmt/format.h>

#include "record/check/rebuild/rebuild.hpp"
#include "record/check/steps/first_order.hpp"

namespace cairn::record {
namespace {

bool same_momentum(const Segment& s, const Problem& problem, std::size_t body, const VecX& v) {
  const ProblemBody& b = problem.bodies[body];
  const Body& m = s.model.bodies[static_cast<std::size_t>(b.model_body)];
  const UnitFactors f = unit_factors(m, problem.units);
  const Block6 M = mass_of(m);
  const Row6 of = velocities_of_body(m, v), k = M * of, size = M.cwiseAbs() * of.cwiseAbs();
  for (int r = 0; r < b.size; ++r)
    if (!(std::abs(problem.k[b.first + r] * f.momentum[r] - k[r]) <= 1e-11 * size.maxCoeff()))
      return false;
  return true;
}

// Work and impulse of the rows of bodies of one island while the velocities go straight.
void add_stretch(const Segment& s, const SolveRecord& base, const SolveRecord& record,
                 const std::vector<int>& island, int which, const VecX& from, const VecX& to,
                 Ledger& flows) {
  const Problem& p = base.problem;
  for (std::size_t i = 0; i < p.constraints.size(); ++i) {
    const Constraint& c = p.constraints[i];
    const int body = *std::max_element(c.body.begin(), c.body.end());
    if (body < 0 || island[static_cast<std::size_t>(body)] != which) continue;
    for (int k = 0; k < c.rows; ++k) {
      double rate = 0;
      for (std::size_t side = 0; side < max_sides; ++side) {
        if (c.body[side] < 0) continue;
        const ProblemBody& b = p.bodies[static_cast<std::size_t>(c.body[side])];
        const Body& m = s.model.bodies[static_cast<std::size_t>(b.model_body)];
        const UnitFactors f = unit_factors(m, p.units);
        for (int n = 0; n < b.size; ++n)
          rate += c.J[side][k][n] * 0.5 * (from[m.first_velocity + n] + to[m.first_velocity + n]) /
                  f.velocity[n];
      }
      const double impulse = record.solution.lambda[p.first_row[i] + k];
      const double work = impulse * (rate + c.b[k]) * p.units.energy();
      (is_of_contact(c.key.role) && k > 0 ? flows.friction : flows.impact) -= work;
      flows.work_motion -= impulse * c.b[k] * p.units.energy();
    }
  }
}

}  // namespace

std::size_t check_impact(const Segment& s, std::size_t compression, SegmentOutcome& out) {
  const SolveRecord& first = s.solves[compression];
  const Place place = place_of(s, first);
  const VecX v_compressed = solved_velocities(s.model, first, place.v);
  const std::size_t next = compression + 1;
  const bool returns =
      next < s.solves.size() && (s.solves[next].purpose == Purpose::decompression ||
                                 s.solves[next].purpose == Purpose::impact);
  const std::vector<int> island = islands_of(first.problem);
  const std::size_t bodies = first.problem.bodies.size();
  if (returns && s.solves[next].problem.bodies.size() != bodies) {
    s.say(next, FindingCode::row, "it is of other bodies than the compression before it");
    out.energies_known = false;
    return next;
  }
  std::vector<char> unknown(bodies, 0), from_start(bodies, 1), from_compressed(bodies, 1);
  if (returns)
    for (std::size_t i = 0; i < bodies; ++i) {
      const auto at = static_cast<std::size_t>(island[i]);
      if (!same_momentum(s, s.solves[next].problem, i, place.v)) from_start[at] = 0;
      if (!same_momentum(s, s.solves[next].problem, i, v_compressed)) from_compressed[at] = 0;
    }
  for (std::size_t i = 0; i < bodies; ++i) {
    if (island[i] != static_cast<int>(i)) continue;
    const int which = static_cast<int>(i);
    if (!returns) {
      add_stretch(s, first, first, island, which, place.v, v_compressed, out.flows);
      continue;
    }
    const VecX v = solved_velocities(s.model, s.solves[next], place.v);
    if (from_compressed[i]) {
      add_stretch(s, first, first, island, which, place.v, v_compressed, out.flows);
      add_stretch(s, first, s.solves[next], island, which, v_compressed, v, out.flows);
    } else if (from_start[i]) {
      add_stretch(s, first, s.solves[next], island, which, place.v, v, out.flows);
    } else {
      s.unverified.insert("impulses of impacts along a path or one after the other");
      out.energies_known = false;
    }
  }
  return returns ? next : compression;
}

}  // namespace cairn::record
