// (E100). With W_e = J_e A^-1 J_e^T over the bilateral rows and P = diag(p),
//
//   (W_e + P) z = P r:
//
// a part of r in the null space of J_e^T stays, any other shrinks by about p / w, w an eigenvalue
// of W_e. Some rounds of that leave the null space alone, and r minus it is the least one with the
// same J_e^T r. p ~ 1 / d^2 makes it the least in lambda = r / d, the impulses themselves. (The
// bodies are eliminated first. In the bordered matrix of primal_matrix.hpp a joint may go while one
// of its bodies is still there and the other is held by more rows than it has velocities: a pivot
// of rounding.)
#include "solver/direct/shares.hpp"

#include <algorithm>
#include <cmath>

#include "base/index.hpp"
#include "solver/island/primal_matrix.hpp"

namespace cairn::solver {
namespace {

bool same_joint(const Group& a, const Group& b) {
  return a.joint >= 0 && a.joint == b.joint;
}

int velocities(const Island& island, const Group& g) {
  int sum = 0;
  for (const int body : g.body)
    if (body >= 0) sum += island.bodies[base::at(body)].size;
  return sum;
}

constexpr int passes = 4;
constexpr int most_refinements = 20;
constexpr double much_less = 0.1;       // of the impulses [-]
constexpr double visible_share = 0.25;  // of the tolerance: what hidden rounding may show [-]

void list_nodes(const Island& island, ShareBuffers& b) {
  b.groups.clear();
  b.sizes.clear();
  b.offsets.clear();
  if (b.on_body.size() < island.bodies.size()) b.on_body.resize(island.bodies.size());
  for (auto& list : b.on_body) list.clear();
  int offset = 0;
  for (std::size_t i = 0; i < island.groups.size(); ++i) {
    const Group& g = island.groups[i];
    if (g.set.law != Law::equality) continue;
    for (int side = 0; side < g.sides; ++side)
      if (g.body[side] >= 0)
        b.on_body[base::at(g.body[side])].push_back({static_cast<int>(b.groups.size()), side});
    b.groups.push_back(static_cast<int>(i));
    b.sizes.push_back(g.rows);
    b.offsets.push_back(offset);
    offset += g.rows;
  }
  b.late.assign(b.groups.size(), 0);
  b.x.assign(base::at(offset), 0.0);
  b.pivot.assign(base::at(offset), 0.0);
}

const Group& group(const Island& island, const ShareBuffers& b, std::size_t node) {
  return island.groups[base::at(b.groups[node])];
}

// W_e + P.
bool factorize(const Island& island, ShareBuffers& b) {
  list_nodes(island, b);
  b.lu.begin(b.sizes, b.late);
  for (const auto& list : b.on_body)
    for (const auto& [i, side_i] : list)
      for (const auto& [j, side_j] : list)
        if (i < j) b.lu.connect(i, j);
  b.lu.analyze();
  b.lu.zero();
  for (std::size_t body = 0; body < island.bodies.size(); ++body)
    for (const auto& [i, side_i] : b.on_body[body])
      for (const auto& [j, side_j] : b.on_body[body]) {
        const Group &g = group(island, b, base::at(i)), &h = group(island, b, base::at(j));
        linear::BodyBlock& target = i == j ? b.lu.diagonal(i) : b.lu.block(i, j);
        for (int r = 0; r < g.rows; ++r)
          for (int c = 0; c < h.rows; ++c)
            for (int k = 0; k < island.bodies[body].size; ++k)
              target[r][c] +=
                  g.J[side_i][r][k] * island.bodies[body].inverse[k] * h.J[side_j][c][k];
      }
  double largest = 0;
  for (std::size_t i = 0; i < b.groups.size(); ++i)
    largest = std::max(largest, group(island, b, i).d);
  for (std::size_t i = 0; i < b.groups.size(); ++i) {
    const Group& g = group(island, b, i);
    const double pivot = bilateral_pivot * (largest / g.d) * (largest / g.d);
    for (int k = 0; k < g.rows; ++k) {
      b.lu.diagonal(static_cast<int>(i))[k][k] += pivot;
      b.pivot[base::at(b.offsets[i] + k)] = pivot;
    }
  }
  return b.lu.factorize();
}

// The part of r that J_e^T does not see, left in x.
void null_part(const Island& island, const std::vector<double>& r, ShareBuffers& b) {
  for (std::size_t i = 0; i < b.groups.size(); ++i) {
    const Group& g = group(island, b, i);
    for (int k = 0; k < g.rows; ++k) b.x[base::at(b.offsets[i] + k)] = r[base::at(g.first + k)];
  }
  for (int pass = 0; pass < passes; ++pass) {
    for (std::size_t i = 0; i < b.x.size(); ++i) b.x[i] *= b.pivot[i];
    b.lu.solve(b.offsets, b.x.data());
  }
}

double largest(const std::vector<double>& r) {
  double most = 0;
  for (const double x : r) most = std::max(most, std::abs(x));
  return most;
}

// What the rounding floor of the impulses r hides in a certificate (E311), over the speed of the
// island.
double hidden_by(const Island& island, const std::vector<double>& r) {
  if (!(island.speed > 0)) return 0;
  add_up_terms(island, r);
  double most = 0;
  for (const Group& g : island.groups)
    most = std::max(most, std::min(g.gauge.hidden, problem::floor_unit * g.gauge.kappa *
                                                       terms_of(island, g) / island.speed));
  return most;
}

}  // namespace

IterationResult solve_joints(const Island& island, ShareBuffers& b, std::vector<double>& r,
                             std::vector<double>& v) {
  std::fill(r.begin(), r.end(), 0.0);
  velocities_from_impulses(island, r, v);
  IterationResult result{0, residual(island, r, v)};
  if (!factorize(island, b)) return result;
  b.kept = r;
  while (result.residual > 0 && result.iterations < most_refinements) {
    ++result.iterations;
    for (std::size_t i = 0; i < b.groups.size(); ++i)
      group_velocity(island, group(island, b, i), v.data(), &b.x[base::at(b.offsets[i])]);
    b.lu.solve(b.offsets, b.x.data());
    for (std::size_t i = 0; i < b.groups.size(); ++i) {
      const Group& g = group(island, b, i);
      for (int k = 0; k < g.rows; ++k) r[base::at(g.first + k)] -= b.x[base::at(b.offsets[i] + k)];
    }
    velocities_from_impulses(island, r, v);
    const double now = residual(island, r, v);
    if (!(now < result.residual)) break;
    const bool little = now > 0.1 * result.residual;
    result.residual = now;
    b.kept = r;
    if (little) break;
  }
  r = b.kept;
  velocities_from_impulses(island, r, v);
  return result;
}

bool may_share(const Island& island, ShareBuffers& b) {
  const int ground = static_cast<int>(island.bodies.size());
  b.joined.reset(base::at(ground + 1));
  const Group* last = nullptr;
  int rows = 0;
  for (const Group& g : island.groups) {
    if (g.set.law != Law::equality) continue;
    if (!factors_of(g).regular) return true;
    const bool more = last && same_joint(*last, g);  // rows of a joint stand together
    last = &g;
    rows = more ? rows + g.rows : g.rows;
    if (rows > velocities(island, g)) return true;
    if (more) continue;
    // A row over three or more bodies may close a loop wherever it stands.
    if (g.sides > 2) return true;
    if (!b.joined.join(g.body[0] < 0 ? ground : g.body[0], g.body[1] < 0 ? ground : g.body[1]))
      return true;
  }
  return false;
}

Sharing share_least(const Island& island, double allowed, ShareBuffers& b, std::vector<double>& r,
                    std::vector<double>& v) {
  b.kept = r;
  if (!factorize(island, b)) return Sharing::refused;
  // Rounding of large shares was hidden; what it leaves in the velocities shows after them (E682).
  allowed = std::max(allowed, std::min(visible_share * island.tolerance, hidden_by(island, r)));
  // The solve errs by 1e-16 / p of what it finds, so that the second round only clears up.
  for (int round = 0; round < 2; ++round) {
    null_part(island, r, b);
    if (!std::all_of(b.x.begin(), b.x.end(), [](double x) { return std::isfinite(x); })) break;
    for (std::size_t i = 0; i < b.groups.size(); ++i) {
      const Group& g = group(island, b, i);
      for (int k = 0; k < g.rows; ++k) r[base::at(g.first + k)] -= b.x[base::at(b.offsets[i] + k)];
    }
  }
  velocities_from_impulses(island, r, v);
  if (residual(island, r, v) <= allowed) return Sharing::taken;
  if (largest(r) < much_less * largest(b.kept)) return Sharing::near;
  r = b.kept;
  velocities_from_impulses(island, r, v);
  return Sharing::refused;
}

}  // namespace cairn::solver
