// Energies of an impact (E228): of every row, of every contact that collided, of the whole.
#include <algorithm>

#include "base/index.hpp"
#include "scheme/euler/energy_guard.hpp"
#include "scheme/impact/collision.hpp"
#include "scheme/rows/booking.hpp"

namespace cairn::scheme {
// Impulses that grow in proportion while the velocities go straight from one to the other.
void Collision::add_segment(std::size_t constraint, const VecX& from, const VecX& to,
                            const double* lambda) {
  const Constraint& c = d.base.constraints[constraint];
  const int first = d.base.first_row[constraint];
  double before[max_rows] = {}, after[max_rows] = {};
  linear::constraint_velocity(d.base, c, from.data(), true, before);
  linear::constraint_velocity(d.base, c, to.data(), true, after);
  for (int k = 0; k < c.rows; ++k) {
    d.impulse[first + k] += lambda[k];
    d.work[first + k] += lambda[k] * 0.5 * (before[k] + after[k]);
  }
}

// Work of all rows of an island on the relative motion: what prescribed motion puts in is not in
// it.
double Collision::island_work(int island) const {
  double sum = 0;
  for (int k = d.islands.first_constraint[base::at(island)];
       k < d.islands.first_constraint[base::at(island + 1)]; ++k) {
    const std::size_t c = base::at(d.islands.constraints[base::at(k)]);
    for (int r = d.base.first_row[c]; r < d.base.first_row[c + 1]; ++r) sum += d.work[r];
  }
  return sum;
}

double Collision::kinetic_of(int island, const VecX& v) const {
  return island_kinetic(d.base, d.islands, island, v);
}

void Collision::audit() {
  const Units& u = d.base.units;
  d.flows = {};
  for (std::size_t c = 0; c < d.base.constraints.size(); ++c)
    for (int k = 0; k < d.base.constraints[c].rows; ++k) {
      const int r = d.base.first_row[c] + k;
      const Constraint& row = d.base.constraints[c];
      book_impact(row, k,
                  {.motion = row.b[k] * u.speed(),
                   .impulse = d.impulse[r] * u.impulse(),
                   .work = d.work[r] * u.energy()},
                  d.flows);
    }
  int group = report.impacts.empty() ? 0 : report.impacts.back().group + 1;
  for (int island = 0; island < d.islands.count; ++island) {
    if (!d.of_island.hit[base::at(island)]) continue;
    const double before = d.of_island.kinetic[base::at(island)] * u.energy(),
                 after = kinetic_of(island, d.v_after) * u.energy(),
                 full = d.of_island.full_energy[base::at(island)] * u.energy();
    const std::size_t first = report.impacts.size();
    double listed = 0;
    for (int k = d.islands.first_constraint[base::at(island)];
         k < d.islands.first_constraint[base::at(island + 1)]; ++k) {
      const std::size_t c = base::at(d.islands.constraints[base::at(k)]);
      if (d.collider_of[c] < 0) continue;
      const std::size_t i = base::at(d.collider_of[c]);
      if (!collides(i) || !(d.impulse[row(i)] > 0)) continue;
      const Collider& collider = d.colliders[i];
      double w[max_rows] = {};
      linear::constraint_velocity(d.base, constraint(i), d.v_after.data(), true, w);
      const double normal = d.work[row(i)] * u.energy();
      double friction = 0;
      for (int r = 1; r < constraint(i).rows; ++r) friction += d.work[row(i) + r] * u.energy();
      ImpactReport& out = report.impacts.emplace_back();
      out.contact = collider.key;
      out.t = d.t;
      out.approach = collider.approach;
      out.rebound = w[0] * u.speed();
      out.law = collider.law;
      out.restitution = collider.restitution;
      out.lost_restitution = std::max(0.0, -normal);
      out.lost_friction = std::max(0.0, -friction);
      out.put_in = std::max(0.0, normal) + std::max(0.0, friction);
      out.group = group;
      out.kinetic_before = before;
      out.kinetic_after = after;
      out.guard = full < 0 ? 0 : std::max(0.0, full - after);
      listed += normal + friction;
    }
    for (std::size_t i = first; i < report.impacts.size(); ++i)
      report.impacts[i].other = after - before - listed;
    if (report.impacts.size() > first) ++group;
  }
}

}  // namespace cairn::scheme
