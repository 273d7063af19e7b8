#include "scheme/impact/collision.hpp"

#include <algorithm>
#include <cmath>

#include "base/conventions.hpp"
#include "base/index.hpp"
#include "base/infinity.hpp"
#include "linear/blocks.hpp"
#include "scheme/euler/energy_guard.hpp"
#include "solver/unguarded.hpp"

namespace cairn::scheme {
namespace {

constexpr int max_balance = 60;  // rounds of the search for Stronge's factor

}  // namespace

void resolve_impact(const CollisionRules& rules, const SolverOptions& solver,
                    SolverWorkspace& workspace, CollisionData& data, StepReport& report) {
  CAIRN_DCHECK(data.v_before.size() == data.base.velocities(), data.v_before.size());
  CAIRN_DCHECK(data.warm.size() == data.base.rows(), data.warm.size());
  data.constraint_of.clear();
  data.collider_of.assign(data.base.constraints.size(), -1);
  for (std::size_t c = 0; c < data.base.constraints.size(); ++c) {
    const ConstraintKey& key = data.base.constraints[c].key;
    if (!pushes(key.role)) continue;
    const std::size_t i = data.constraint_of.size();
    CAIRN_DCHECK(i < data.colliders.size() && data.colliders[i].key == key.contact, c, i);
    data.collider_of[c] = static_cast<int>(i);
    data.constraint_of.push_back(c);
  }
  CAIRN_DCHECK(data.constraint_of.size() == data.colliders.size(), data.constraint_of.size(),
               data.colliders.size());
  Collision{rules, solver, workspace, data, report}.run();
}

// (E221): no contact closes any more.
void Collision::compress() {
  const std::size_t n = d.colliders.size();
  d.search.speed.assign(n, 0.0);
  d.search.push.assign(n, 0.0);
  d.v_from = d.v_before;
  solve_from(Purpose::compression);
  const Solution& solution = report.solves.back().solution;
  d.search.v_compressed = solution.v;
  d.lambda_compression = solution.lambda;
}

// How each island is treated (E220): by what collides in it and under which laws.
void Collision::classify() {
  problem::find_islands(d.base, d.islands);
  const std::size_t n = base::at(d.islands.count);
  d.of_island.mode.assign(n, Mode::plastic);
  d.of_island.hit.assign(n, 0);
  d.of_island.rubs.assign(n, 0);
  d.of_island.theta.assign(n, 1.0);
  d.of_island.factor.assign(n, 1.0);
  d.of_island.kinetic.assign(n, 0.0);
  d.of_island.full_energy.assign(n, -1.0);
  for (std::size_t i = 0; i < d.colliders.size(); ++i)
    if (collides(i)) d.of_island.hit[base::at(island_of(i))] = 1;
  for (int island = 0; island < d.islands.count; ++island) {
    d.of_island.kinetic[base::at(island)] = kinetic_of(island, d.v_before);
    if (!d.of_island.hit[base::at(island)] || !rules.returns) continue;
    int active = 0;
    bool bounces = false, newton = true, along_path = rules.friction == RestitutionFriction::path;
    for (int k = d.islands.first_constraint[base::at(island)];
         k < d.islands.first_constraint[base::at(island + 1)]; ++k) {
      const std::size_t c = base::at(d.islands.constraints[base::at(k)]);
      if (d.collider_of[c] < 0) continue;
      const std::size_t i = base::at(d.collider_of[c]);
      const Collider& collider = d.colliders[i];
      if (d.lambda_compression[row(i)] <= 0 && !collides(i)) continue;
      ++active;
      d.of_island.rubs[base::at(island)] |= constraint(i).rows > 1 && constraint(i).mu > 0;
      if (collider.restitution == 0) continue;
      bounces = bounces || collider.law != RestitutionLaw::newton || collides(i);
      newton = newton && collider.law == RestitutionLaw::newton;
      along_path = along_path || collider.law == RestitutionLaw::stronge;
    }
    if (!bounces) continue;
    const bool one_by_one =
        rules.propagation == Propagation::sequential || (active == 1 && along_path);
    d.of_island.mode[base::at(island)] = one_by_one ? Mode::sequence
                                         : newton   ? Mode::newton
                                                    : Mode::returned;
  }
}

// The impact with the share theta of restitution in each island.
void Collision::attempt() {
  const std::size_t n = d.colliders.size();
  d.impulse.setZero(d.base.rows());
  d.work.setZero(d.base.rows());
  d.search.speed.assign(n, 0.0);
  d.search.push.assign(n, 0.0);
  d.search.wanted.assign(n, 0.0);
  // Where each island starts from; its compression, or its sequence, is a segment of its own.
  d.v_from = d.v_before;
  bool returns = false, again = false;
  for (int island = 0; island < d.islands.count; ++island) {
    const Mode mode = d.of_island.mode[base::at(island)];
    again = again || mode != Mode::plastic;
    returns = returns || mode == Mode::returned;
    if (mode == Mode::newton) continue;
    if (mode == Mode::sequence) {
      sequence(island);
      continue;
    }
    for (int k = d.islands.first_body[base::at(island)];
         k < d.islands.first_body[base::at(island + 1)]; ++k) {
      const ProblemBody& b = d.base.bodies[base::at(d.islands.bodies[base::at(k)])];
      d.v_from.segment(b.first, b.size) = d.search.v_compressed.segment(b.first, b.size);
    }
    for (int k = d.islands.first_constraint[base::at(island)];
         k < d.islands.first_constraint[base::at(island + 1)]; ++k) {
      const int c = d.islands.constraints[base::at(k)];
      add_segment(base::at(c), d.v_before, d.search.v_compressed,
                  d.lambda_compression.data() + d.base.first_row[base::at(c)]);
    }
  }
  if (!again) {
    d.v_after = d.search.v_compressed;
    return;
  }
  const int first = report.solves.size();
  if (returns) {
    d.search.compression_work.assign(n, 0.0);
    d.search.slope.assign(n, 0.0);
    d.of_island.last_work.assign(base::at(d.islands.count), 0.0);
    d.of_island.last_factor.assign(base::at(d.islands.count), 0.0);
    d.of_island.factor_below.assign(base::at(d.islands.count), 0.0);
    d.of_island.factor_above.assign(base::at(d.islands.count), base::infinity);
    d.of_island.least_error.assign(base::at(d.islands.count), base::infinity);
    d.of_island.stalls.assign(base::at(d.islands.count), 0);
    d.sequence.mass.factor(d.base);
    for (std::size_t i = 0; i < n; ++i) {
      if (mode_of(i) != Mode::returned) continue;
      double W[max_rows][max_rows] = {};
      problem::own_response(d.base, d.sequence.mass, constraint(i), W);
      d.search.slope[i] = W[0][0];
      d.search.compression_work[i] = d.work[row(i)];
    }
    for (int round = 0; round < max_balance; ++round) {
      set_wanted();
      decompress(first);
      if (balance_works() || rules.spent()) break;
    }
  } else {
    set_wanted();
    solve_from(Purpose::impact);
  }
  const Solution& solution = report.solves.back().solution;
  d.v_after = solution.v;
  for (std::size_t c = 0; c < d.base.constraints.size(); ++c) {
    double lambda[max_rows] = {};
    for (int k = 0; k < d.base.constraints[c].rows; ++k)
      lambda[k] = solution.lambda[d.base.first_row[c] + k];
    if (d.collider_of[c] >= 0) lambda[0] += d.search.push[base::at(d.collider_of[c])];
    add_segment(c, d.v_from, d.v_after, lambda);
  }
}

// The island in which the last solve has no answer; -1: it has one. Under Coulomb's law speeds of
// several contacts may contradict each other.
int Collision::unsolved() const {
  const SolveRecord& record = report.solves.back();
  const int worst = record.solution.certificate.worst_constraint;
  if (record.purpose == Purpose::compression || record.solution.status == SolveStatus::solved ||
      worst < 0)
    return -1;
  return d.islands.of_constraint[base::at(worst)];
}

// (E227): less restitution where an island has gained energy, or has no answer. True: some has, try
// again.
bool Collision::guard() {
  bool again = false;
  const int without = unsolved();
  for (int island = 0; island < d.islands.count; ++island) {
    const std::size_t i = base::at(island);
    if (d.of_island.mode[i] == Mode::plastic) continue;
    if (island != without && island_work(island) <= no_gain * d.of_island.kinetic[i]) continue;
    again = true;
    const double plastic = kinetic_of(island, d.search.v_compressed),
                 energy = kinetic_of(island, d.v_after), gain = island_work(island);
    const bool first = d.of_island.full_energy[i] < 0;
    if (first) d.of_island.full_energy[i] = energy;
    const double chord = island == without
                             ? guard_reduction
                             : std::max(0.0, (energy - gain - plastic) / (energy - plastic));
    reduce_share(first, chord, guard_reduction, d.of_island.theta[i], report);
  }
  return again;
}

void Collision::run() {
  d.search.speeds_found = true;
  d.search.speeds_known = false;
  compress();
  classify();
  const int first = report.solves.size();
  const int struck = report.sequential_impacts, unfinished = report.unfinished_sequences;
  attempt();
  for (int round = 0; rules.guard && guard(); ++round) {
    const int without = unsolved();
    const bool last = round >= max_guard_rounds || rules.spent();
    for (int i = 0; last && i < d.islands.count; ++i)
      if (i == without || island_work(i) > no_gain * d.of_island.kinetic[base::at(i)]) {
        d.of_island.mode[base::at(i)] = Mode::plastic;
        report.guard_factor = 0;
      }
    report.solves.roll_back(first);
    report.sequential_impacts = struck;
    report.unfinished_sequences = unfinished;
    std::fill(d.of_island.factor.begin(), d.of_island.factor.end(), 1.0);
    attempt();
  }
  audit();
}

}  // namespace cairn::scheme
