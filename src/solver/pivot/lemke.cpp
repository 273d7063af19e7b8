#include "solver/pivot/lemke.hpp"

#include <algorithm>
#include <cmath>

#include "base/index.hpp"
#include "solver/pivot/lcp_form.hpp"

namespace cairn::solver {
namespace {

// A proximal term around the present impulses, in units of W_ii, which is near one: it makes every
// basis of redundant contacts regular and vanishes as the centre moves to the answer. A path from
// nowhere has no centre to trust and takes what rounding allows.
constexpr double proximal_warm = 1e-8, proximal_cold = 1e-12;

// Pairs of a group; its other variables are free.
int pairs(const Group& g, Form form) {
  return is_free(g) ? 0 : variables(g, form);
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
  b_.root.resize(base::at(island_.velocities));
  for (const IslandBody& body : island_.bodies)
    for (int i = 0; i < body.size; ++i) {
      const double root = 1 / std::sqrt(body.mass[i]);
      b_.root[base::at(body.first + i)] = root;
      add(body.first + i, body.first + i, body.mass[i] * root * root);
    }
  for (const RestBlock& rest : island_.inertia.rest) {
    const IslandBody &to = island_.bodies[base::at(rest.row)],
                     &from = island_.bodies[base::at(rest.column)];
    for (int r = 0; r < to.size; ++r)
      for (int c = 0; c < from.size; ++c)
        add(to.first + r, from.first + c,
            rest.value[r][c] * b_.root[base::at(to.first + r)] * b_.root[base::at(from.first + c)]);
  }
}

// A free impulse: J y + eps (r - r_before) = -q.
void Builder::add_free(std::size_t i) {
  const Group& g = island_.groups[i];
  const double* q = &island_.u_free[base::at(g.first)];
  for (int r = 0; r < g.rows; ++r) {
    const int row = b_.first_variable[i] + r;
    for (int side = 0; side < g.sides; ++side) {
      if (g.body[side] < 0) continue;
      const IslandBody& body = island_.bodies[base::at(g.body[side])];
      for (int c = 0; c < body.size; ++c) {
        const double entry = g.J[side][r][c] * b_.root[base::at(body.first + c)];
        add(row, body.first + c, entry);
        add(body.first + c, row, -entry);
      }
    }
    add(row, row, proximal_);
    b_.system.rhs[base::at(row)] = proximal_ * r_[base::at(g.first + r)] - q[r];
  }
}

// Terms between the pairs of one group: w gets C z + constant.
void Builder::couple(const Group& g, double (*C)[most_pairs], double* constant) const {
  LcpTerms list;
  const int count = lcp_terms(g, form_, list);
  for (int k = 0; k < count; ++k)
    C[list[base::at(k)].row][list[base::at(k)].column] += list[base::at(k)].value;
  if (is_two_sided(g)) constant[1] += g.set.hi - g.set.lo;
}

void Builder::add_pairs(std::size_t i) {
  const Group& g = island_.groups[i];
  const int count = pairs(g, form_), first = pair_row(i);
  double q[max_rows], C[most_pairs][most_pairs], constant[most_pairs];
  std::copy_n(&island_.u_free[base::at(g.first)], g.rows, q);
  const double base = base_impulse(g);
  for (int r = 0; r < g.rows; ++r)
    q[r] -= proximal_ * (r_[base::at(g.first + r)] - (r == 0 ? base : 0));
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
    b_.system.rhs[base::at(first + a)] = constant[a];
    for (int c = 0; c < count; ++c) add(first + a, first + c, -C[a][c]);
  }
  for (int side = 0; side < g.sides; ++side) {
    if (g.body[side] < 0) continue;
    const IslandBody& body = island_.bodies[base::at(g.body[side])];
    for (int k = 0; k < body.size; ++k) {
      const double root = b_.root[base::at(body.first + k)];
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
      b_.system.rhs[base::at(body.first + k)] += base * g.J[side][0][k] * root;
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
  b_.start.assign(base::at(b_.system.pairs), 0);
  for (std::size_t i = 0; i < island_.groups.size(); ++i) {
    const Group& g = island_.groups[i];
    if (!b_.included[i] || is_free(g)) continue;
    double u[max_rows];
    group_velocity(island_, g, v.data(), u);
    start_group(g, &r_[base::at(g.first)], u, &b_.start[base::at(b_.first_variable[i])]);
  }
}

void Builder::impulses(std::vector<double>& r) const {
  std::fill(r.begin(), r.end(), 0.0);
  for (std::size_t i = 0; i < island_.groups.size(); ++i) {
    if (!b_.included[i]) continue;
    const Group& g = island_.groups[i];
    double* target = &r[base::at(g.first)];
    if (is_free(g)) {
      for (int k = 0; k < g.rows; ++k) target[k] = b_.path.x[base::at(b_.first_variable[i] + k)];
      continue;
    }
    target[0] = base_impulse(g);
    const double* z = &b_.path.z[base::at(b_.first_variable[i])];
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
      shift[k] = proximal_ * (r[base::at(g.first + k)] - b_.centre[base::at(g.first + k)]);
    if (is_free(g)) {
      for (int k = 0; k < g.rows; ++k)
        b_.system.rhs[base::at(b_.first_variable[i] + k)] += shift[k];
      continue;
    }
    for (int a = 0; a < pairs(g, form_); ++a) {
      const Pairing row = pairing(g, a, form_);
      for (int k = 0; k < g.rows; ++k)
        b_.system.rhs[base::at(pair_row(i) + a)] -= row.velocity[k] * shift[k];
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
    included[i] = included[i] || !is_unilateral(g.set.law) || r[base::at(g.first)] > 0 ||
                  problem::opening_speed(g.set, u) <= 0.1 * scale;
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
    if (problem::opening_speed(g.set, u) < -tolerance * island.scale) included[i] = 1;
  }
}

}  // namespace

bool lemke_takes(const Group& g) {
  return g.set.law != Law::disc && is_linear(g);
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
    buffers.start.assign(base::at(buffers.system.pairs), 0);
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

}  // namespace cairn::solver
