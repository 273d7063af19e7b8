#include "solve/lemke.hpp"

#include <algorithm>
#include <cmath>

#include "base/index.hpp"

namespace cairn {
namespace {

// A proximal term around the present impulses, in units of W_ii, which is near one: it makes every
// basis of redundant contacts regular and vanishes as the centre moves to the answer. A path from
// nowhere has no centre to trust and takes what rounding allows.
constexpr double proximal_warm = 1e-8, proximal_cold = 1e-12;

bool has_friction(const Group& g) {
  return has_cone(g.set.law) && g.rows > 1 && g.set.mu > 0;
}

// The relaxed law on a polyhedral cone: r = sum of beta_i (1, mu d_i), beta_i opposite to the
// velocity along its generator, nothing else.
bool has_generators(const Group& g) {
  return has_friction(g) && g.set.law == Law::coulomb_relaxed;
}

// No complementarity at all: the impulse is a free variable.
bool is_free(const Group& g) {
  return g.set.law == Law::equality ||
         (g.set.law == Law::box && std::isinf(g.set.lo) && std::isinf(g.set.hi));
}

bool is_two_sided(const Group& g) {
  return g.set.law == Law::box && std::isfinite(g.set.lo) && std::isfinite(g.set.hi);
}

// Facets of the friction section: two directions in the plane.
int directions(const Group& g) {
  return g.rows == 2 ? 2 : static_cast<int>(g.set.corners.size());
}

// Two ways to write a planar contact (E43): (r_n, beta_1, beta_2, lambda) as in (4.11), whose
// matrix is copositive, and (r_n, mu r_n + r_t, [u_t]_-), a quarter smaller, which is tried first.
enum class Form { compact, full };

bool is_compact(const Group& g, Form form) {
  return form == Form::compact && g.rows == 2 && has_friction(g) && !has_generators(g);
}

// Pairs of a group: of friction as above, (r) of a normal row, (r - lo, y) or (hi - r) of a box.
int pairs(const Group& g, Form form) {
  if (is_free(g)) return 0;
  if (is_compact(g, form)) return 3;
  if (has_generators(g)) return directions(g);
  if (has_friction(g)) return 2 + directions(g);
  return is_two_sided(g) ? 2 : 1;
}

void direction(const Group& g, int i, double* d) {
  if (g.rows == 2) {
    d[0] = i == 0 ? 1 : -1;
    return;
  }
  const Corner& corner = g.set.corners[static_cast<std::size_t>(i)];
  d[0] = corner[0];
  d[1] = corner[1];
}

// Impulse at zero of all variables: the bound from which a box is counted.
double base_impulse(const Group& g) {
  if (g.set.law != Law::box || is_free(g)) return 0;
  return std::isfinite(g.set.lo) ? g.set.lo : g.set.hi;
}

// Impulse of a unit of variable i, and the velocity that stands opposite to it.
struct Pairing {
  double impulse[max_rows] = {}, velocity[max_rows] = {};
};

Pairing pairing(const Group& g, int i, Form form) {
  Pairing p;
  if (has_generators(g)) {
    direction(g, i, p.impulse + 1);
    p.impulse[0] = 1;
    for (int k = 1; k < g.rows; ++k) p.impulse[k] *= g.set.mu;
    std::copy(p.impulse, p.impulse + max_rows, p.velocity);
  } else if (i == 0) {
    const bool downwards = g.set.law == Law::box && std::isinf(g.set.lo);
    p.impulse[0] = p.velocity[0] = downwards ? -1 : 1;
    if (is_compact(g, form)) p.impulse[1] = -g.set.mu;
  } else if (is_compact(g, form)) {
    if (i == 1) p.impulse[1] = p.velocity[1] = 1;
  } else if (has_friction(g) && i <= directions(g)) {
    direction(g, i - 1, p.impulse + 1);
    std::copy(p.impulse, p.impulse + max_rows, p.velocity);
  }
  return p;
}

constexpr int most_pairs = 2 + 64;

// The mixed LCP of the included groups in y = D^(1/2) (v - v_free), bilateral impulses and pairs.
class Builder {
 public:
  Builder(const Island& island, const std::vector<double>& r, LemkeBuffers& buffers, Form form,
          double proximal)
      : island_(island), r_(r), b_(buffers), form_(form), proximal_(proximal) {}

  void build();
  void start_from(const std::vector<double>& v);
  void impulses(std::vector<double>& r) const;
  void recentre(const std::vector<double>& r);

 private:
  void count();
  void add_masses();
  void add_free(std::size_t i);
  void add_pairs(std::size_t i);
  void couple(const Group& g, double (*C)[most_pairs], double* constant) const;
  void start_group(const Group& g, const double* r, const double* u, char* z_basic) const;
  int pair_row(std::size_t i) const { return b_.system.free + b_.first_variable[i]; }
  void add(int row, int column, double value) {
    if (value != 0) b_.system.entries.push_back({row, column, value});
  }

  const Island& island_;
  const std::vector<double>& r_;
  LemkeBuffers& b_;
  Form form_;
  double proximal_;
};

void Builder::count() {
  int free = island_.velocities, pair_count = 0;
  b_.first_variable.assign(island_.groups.size(), -1);
  for (std::size_t i = 0; i < island_.groups.size(); ++i) {
    if (!b_.included[i]) continue;
    const Group& g = island_.groups[i];
    int& count = is_free(g) ? free : pair_count;
    b_.first_variable[i] = count;
    count += is_free(g) ? g.rows : pairs(g, form_);
  }
  b_.system.begin(free, pair_count);
}

void Builder::add_masses() {
  b_.root.resize(at(island_.velocities));
  for (const IslandBody& body : island_.bodies)
    for (int i = 0; i < body.size; ++i) {
      const double root = 1 / std::sqrt(body.mass[i]);
      b_.root[at(body.first + i)] = root;
      add(body.first + i, body.first + i, body.mass[i] * root * root);
    }
  for (const RestBlock& rest : island_.rest) {
    const IslandBody &to = island_.bodies[at(rest.row)], &from = island_.bodies[at(rest.column)];
    for (int r = 0; r < to.size; ++r)
      for (int c = 0; c < from.size; ++c)
        add(to.first + r, from.first + c,
            rest.value[r][c] * b_.root[at(to.first + r)] * b_.root[at(from.first + c)]);
  }
}

// A free impulse: J y + eps (r - r_before) = -q.
void Builder::add_free(std::size_t i) {
  const Group& g = island_.groups[i];
  const double* q = &island_.u_free[at(g.first)];
  for (int r = 0; r < g.rows; ++r) {
    const int row = b_.first_variable[i] + r;
    for (int side = 0; side < 2; ++side) {
      if (g.body[side] < 0) continue;
      const IslandBody& body = island_.bodies[at(g.body[side])];
      for (int c = 0; c < body.size; ++c) {
        const double entry = g.J[side][r][c] * b_.root[at(body.first + c)];
        add(row, body.first + c, entry);
        add(body.first + c, row, -entry);
      }
    }
    add(row, row, proximal_);
    b_.system.rhs[at(row)] = proximal_ * r_[at(g.first + r)] - q[r];
  }
}

// Terms between the pairs of one group: w gets C z + constant.
void Builder::couple(const Group& g, double (*C)[most_pairs], double* constant) const {
  if (is_compact(g, form_)) {
    C[1][2] += 1;
    C[2][0] += 2 * g.set.mu;
    C[2][1] -= 1;
  } else if (has_friction(g) && !has_generators(g)) {
    const int slip = 1 + directions(g);
    for (int k = 1; k < slip; ++k) {
      C[k][slip] += 1;
      C[slip][k] -= 1;
    }
    C[slip][0] += g.set.mu;
  } else if (is_two_sided(g)) {
    C[0][1] += 1;
    C[1][0] -= 1;
    constant[1] += g.set.hi - g.set.lo;
  }
}

void Builder::add_pairs(std::size_t i) {
  const Group& g = island_.groups[i];
  const int count = pairs(g, form_), first = pair_row(i);
  double q[max_rows], C[most_pairs][most_pairs], constant[most_pairs];
  std::copy_n(&island_.u_free[at(g.first)], g.rows, q);
  const double base = base_impulse(g);
  for (int r = 0; r < g.rows; ++r) q[r] -= proximal_ * (r_[at(g.first + r)] - (r == 0 ? base : 0));
  for (int a = 0; a < count; ++a) {
    const Pairing row = pairing(g, a, form_);
    constant[a] = 0;
    for (int r = 0; r < g.rows; ++r) constant[a] += row.velocity[r] * q[r];
    for (int c = 0; c < count; ++c) {
      const Pairing column = pairing(g, c, form_);
      C[a][c] = 0;
      for (int r = 0; r < g.rows; ++r) C[a][c] += proximal_ * row.velocity[r] * column.impulse[r];
    }
  }
  couple(g, C, constant);
  for (int a = 0; a < count; ++a) {
    b_.system.rhs[at(first + a)] = constant[a];
    for (int c = 0; c < count; ++c) add(first + a, first + c, -C[a][c]);
  }
  for (int side = 0; side < 2; ++side) {
    if (g.body[side] < 0) continue;
    const IslandBody& body = island_.bodies[at(g.body[side])];
    for (int k = 0; k < body.size; ++k) {
      const double root = b_.root[at(body.first + k)];
      for (int a = 0; a < count; ++a) {
        const Pairing p = pairing(g, a, form_);
        double velocity = 0, impulse = 0;
        for (int r = 0; r < g.rows; ++r) {
          velocity += p.velocity[r] * g.J[side][r][k];
          impulse += p.impulse[r] * g.J[side][r][k];
        }
        add(first + a, body.first + k, -velocity * root);
        add(body.first + k, first + a, -impulse * root);
      }
      b_.system.rhs[at(body.first + k)] += base * g.J[side][0][k] * root;
    }
  }
}

void Builder::build() {
  b_.centre = r_;
  b_.system.stop = island_.stop;
  count();
  add_masses();
  for (std::size_t i = 0; i < island_.groups.size(); ++i) {
    if (!b_.included[i]) continue;
    if (is_free(island_.groups[i]))
      add_free(i);
    else
      add_pairs(i);
  }
}

// The members of the pairs that the natural map at (r, u) takes for positive.
void Builder::start_group(const Group& g, const double* r, const double* u, char* z_basic) const {
  const double normal = r[0] - u[0];
  if (g.set.law == Law::box) {
    const bool downwards = std::isinf(g.set.lo);
    z_basic[0] = downwards ? normal < g.set.hi : normal > g.set.lo;
    if (is_two_sided(g)) z_basic[1] = normal >= g.set.hi;
    return;
  }
  if (has_generators(g)) {
    // In the plane the two generators are the edges of the cone, and r has one decomposition.
    for (int i = 0; i < directions(g) && g.rows == 2; ++i) {
      const double side = i == 0 ? 1 : -1;
      z_basic[i] = r[0] + side * r[1] / g.set.mu > u[0] + side * g.set.mu * u[1];
    }
    return;
  }
  z_basic[0] = normal > 0;
  if (!is_compact(g, form_)) return;
  const double bound = g.set.mu * std::max(0.0, normal), tangent = r[1] - u[1];
  z_basic[1] = tangent > -bound;
  z_basic[2] = tangent >= bound && z_basic[1];
}

void Builder::start_from(const std::vector<double>& v) {
  b_.start.assign(at(b_.system.pairs), 0);
  for (std::size_t i = 0; i < island_.groups.size(); ++i) {
    const Group& g = island_.groups[i];
    if (!b_.included[i] || is_free(g)) continue;
    double u[max_rows];
    group_velocity(island_, g, v.data(), u);
    start_group(g, &r_[at(g.first)], u, &b_.start[at(b_.first_variable[i])]);
  }
}

void Builder::impulses(std::vector<double>& r) const {
  std::fill(r.begin(), r.end(), 0.0);
  for (std::size_t i = 0; i < island_.groups.size(); ++i) {
    if (!b_.included[i]) continue;
    const Group& g = island_.groups[i];
    double* target = &r[at(g.first)];
    if (is_free(g)) {
      for (int k = 0; k < g.rows; ++k) target[k] = b_.path.x[at(b_.first_variable[i] + k)];
      continue;
    }
    target[0] = base_impulse(g);
    const double* z = &b_.path.z[at(b_.first_variable[i])];
    for (int k = 0; k < pairs(g, form_); ++k) {
      const Pairing column = pairing(g, k, form_);
      for (int row = 0; row < g.rows; ++row) target[row] += column.impulse[row] * z[k];
    }
  }
}

// Moves the centre of the proximal term to r.
void Builder::recentre(const std::vector<double>& r) {
  for (std::size_t i = 0; i < island_.groups.size(); ++i) {
    if (!b_.included[i]) continue;
    const Group& g = island_.groups[i];
    double shift[max_rows];
    for (int k = 0; k < g.rows; ++k)
      shift[k] = proximal_ * (r[at(g.first + k)] - b_.centre[at(g.first + k)]);
    if (is_free(g)) {
      for (int k = 0; k < g.rows; ++k) b_.system.rhs[at(b_.first_variable[i] + k)] += shift[k];
      continue;
    }
    for (int a = 0; a < pairs(g, form_); ++a) {
      const Pairing row = pairing(g, a, form_);
      for (int k = 0; k < g.rows; ++k)
        b_.system.rhs[at(pair_row(i) + a)] -= row.velocity[k] * shift[k];
    }
  }
  b_.centre = r;
}

// Contacts that are far from closing at the present estimate stay out; returns how many pairs are
// in.
int choose_included(const Island& island, const std::vector<double>& r,
                    const std::vector<double>& v, std::vector<char>& included) {
  double scale = island.scale;
  for (const double x : r) scale = std::max(scale, std::abs(x));
  int count = 0;
  for (std::size_t i = 0; i < island.groups.size(); ++i) {
    const Group& g = island.groups[i];
    double u[max_rows];
    group_velocity(island, g, v.data(), u);
    included[i] = included[i] || !is_unilateral(g.set.law) || r[at(g.first)] > 0 ||
                  opening_speed(g.set, u) <= 0.1 * scale;
    if (included[i]) count += pairs(g, Form::full);
  }
  return count;
}

void add_closing(const Island& island, const std::vector<double>& v, double tolerance,
                 std::vector<char>& included) {
  for (std::size_t i = 0; i < island.groups.size(); ++i) {
    const Group& g = island.groups[i];
    double u[max_rows];
    group_velocity(island, g, v.data(), u);
    if (opening_speed(g.set, u) < -tolerance * island.scale) included[i] = 1;
  }
}

}  // namespace

bool lemke_takes(const Group& g) {
  return g.set.law != Law::disc && (!has_friction(g) || g.rows == 2 || !g.set.corners.empty());
}

namespace {

// One path and the proximal steps after it; the impulses are left in buffers.trial.
double path(const Island& island, const LemkeLimits& limits, bool warm, Form form,
            std::uint64_t& random, LemkeBuffers& buffers, const std::vector<double>& r,
            std::vector<double>& v, int& pivots) {
  Builder builder(island, r, buffers, form, warm ? proximal_warm : proximal_cold);
  builder.build();
  if (warm)
    builder.start_from(v);
  else
    buffers.start.assign(at(buffers.system.pairs), 0);
  const int most = warm ? limits.warm_pivots : std::min(limits.pivots, 12 * buffers.system.pairs);
  const PathEnd end =
      follow_path(buffers.system, buffers.start, random, most, buffers.path, pivots);
  std::vector<double>&trial = buffers.trial, &next = buffers.next;
  trial.resize(r.size());
  next.resize(r.size());
  builder.impulses(trial);  // even a ray may end near the answer: the residual decides
  velocities_from_impulses(island, trial, v);
  double now = residual(island, trial, v);
  // Towards the limit of the proximal steps as long as the basis stays the right one.
  for (int k = 0; k < 10 && end == PathEnd::solved && now > limits.aim; ++k) {
    builder.recentre(trial);
    if (!resolve(buffers.system, buffers.path)) break;
    builder.impulses(next);
    velocities_from_impulses(island, next, v);
    const double better = residual(island, next, v);
    if (!(better < 0.5 * now)) break;
    now = better;
    trial = next;
  }
  return now;
}

}  // namespace

IterationResult lemke(const Island& island, const LemkeLimits& limits, LemkeBuffers& buffers,
                      std::vector<double>& r, std::vector<double>& v) {
  velocities_from_impulses(island, r, v);
  IterationResult result{0, residual(island, r, v)};
  for (const Group& g : island.groups)
    if (g.set.law == Law::disc) return result;
  buffers.included.assign(island.groups.size(), 0);
  std::uint64_t random = limits.seed;
  bool warm = limits.warm_pivots > 0;
  int cold = 0;
  for (int draw = 0; draw < limits.draws && !(result.residual <= limits.tolerance); ++draw) {
    if (island.interrupted()) break;
    if (choose_included(island, r, v, buffers.included) > limits.variables) break;
    const Form form = cold < 2 ? Form::compact : Form::full;
    if (!warm) ++cold;
    const double now = path(island, limits, warm, form, random, buffers, r, v, result.iterations);
    // Again from the basis at hand only if that led somewhere.
    warm = warm && now < 0.1 * result.residual;
    if (now < result.residual) {
      result.residual = now;
      r = buffers.trial;
    }
    velocities_from_impulses(island, buffers.trial, v);
    add_closing(island, v, 1e-3 * limits.tolerance, buffers.included);
    velocities_from_impulses(island, r, v);
  }
  return result;
}

}  // namespace cairn
