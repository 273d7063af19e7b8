#include "solver/fallback/proximal_law.hpp"

#include <algorithm>
#include <cmath>

#include "base/index.hpp"
#include "base/infinity.hpp"

namespace cairn::solver {
namespace {

using Mode = ProximalLaw::Mode;

// A constraint that is softened is left with this much of its stiffness, and never less than the
// least: far below W_ii^-1 = 1, where mass alone counts.
constexpr double softening = 0.1, softest = 1e-3;

// Rows of friction; the others of a contact without any carry nothing.
int tangents(const Group& g) {
  return g.set.law == Law::coulomb && g.set.mu > 0 ? g.rows - 1 : 0;
}

// Rows that carry impulses.
int carrying(const Group& g) {
  return g.set.law == Law::equality ? g.rows : 1 + tangents(g);
}

double tangential(const Group& g, const double* y) {
  if (tangents(g) == 2) return std::sqrt(y[1] * y[1] + y[2] * y[2]);
  return tangents(g) == 1 ? std::abs(y[1]) : 0;
}

// J dv of a group.
void row_velocities(const Island& island, const Group& g, const std::vector<double>& dv,
                    double* u) {
  std::fill(u, u + g.rows, 0.0);
  for (int side = 0; side < g.sides; ++side) {
    if (g.body[side] < 0) continue;
    const IslandBody& body = island.bodies[base::at(g.body[side])];
    linear::add_product(g.J[side], g.rows, body.size, &dv[base::at(body.first)], u);
  }
}

// f += factor J^T p of a group.
void add_force(const Island& island, const Group& g, double factor, const double* p,
               std::vector<double>& f) {
  double scaled[max_rows];
  for (int k = 0; k < g.rows; ++k) scaled[k] = factor * p[k];
  for (int side = 0; side < g.sides; ++side) {
    if (g.body[side] < 0) continue;
    const IslandBody& body = island.bodies[base::at(g.body[side])];
    linear::add_transposed(g.J[side], g.rows, body.size, scaled, &f[base::at(body.first)]);
  }
}

// The first s > 0 at which |y_T + s d_T| = mu (y_n + s d_n), from inside the cone.
double leaves_cone(const Group& g, const double* y, const double* d, bool from_corner) {
  const double mu2 = g.set.mu * g.set.mu;
  double a = -mu2 * d[0] * d[0], b = -mu2 * y[0] * d[0], c = -mu2 * y[0] * y[0];
  for (int k = 1; k <= tangents(g); ++k) {
    a += d[k] * d[k];
    b += y[k] * d[k];
    c += y[k] * y[k];
  }
  if (from_corner || c >= 0) {  // on the cone: c = 0
    if (!from_corner && b > 0) return 0;
    return a > 0 && b < 0 ? -2 * b / a : base::infinity;
  }
  const double under = b * b - a * c;
  if (!(under >= 0)) return base::infinity;
  // Roots as -c / (b +- sqrt): one of them is positive where c < 0 < a.
  const double root = std::sqrt(under);
  double first = base::infinity;
  for (const double divisor : {b + root, b - root})
    if (divisor > 0) first = std::min(first, -c / divisor);
  return first;
}

}  // namespace

bool ProximalLaw::takes(const Island& island) {
  if (!island.inertia.rest.empty() || island.tied) return false;
  return std::all_of(island.groups.begin(), island.groups.end(), [](const Group& g) {
    return g.set.law == Law::equality || g.set.law == Law::nonnegative ||
           (g.set.law == Law::coulomb && g.set.corners.empty());
  });
}

void ProximalLaw::attach(const Island& island, const std::vector<double>& centre,
                         double stiffness) {
  island_ = &island;
  const std::size_t rows = base::at(island.rows), groups = island.groups.size();
  for (auto* each : {&u_, &y_, &r_}) each->assign(rows, 0.0);
  mode_.assign(groups, Mode::open);
  grows_.assign(groups, 1);
  stretch_.assign(groups, 0.0);
  set_centre(centre, stiffness);
}

void ProximalLaw::set_centre(const std::vector<double>& centre, double stiffness) {
  r0_ = centre;
  set_stiffness(stiffness);
}

void ProximalLaw::set_stiffness(double stiffness) {
  k_.assign(island_->groups.size(), stiffness);
}

void ProximalLaw::scale_growing(const std::vector<double>& from, double factor) {
  for (std::size_t i = 0; i < k_.size(); ++i) k_[i] = grows_[i] ? factor * from[i] : from[i];
}

void ProximalLaw::look(const std::vector<double>& v) {
  for (std::size_t i = 0; i < island_->groups.size(); ++i) {
    const Group& g = island_->groups[i];
    group_velocity(*island_, g, v.data(), &u_[base::at(g.first)]);
    for (int k = g.first; k < g.first + g.rows; ++k)
      y_[base::at(k)] = r0_[base::at(k)] - k_[i] * u_[base::at(k)];
  }
}

void ProximalLaw::find_modes() {
  for (std::size_t i = 0; i < island_->groups.size(); ++i) {
    const Group& g = island_->groups[i];
    const double* y = &y_[base::at(g.first)];
    mode_[i] = Mode::stick;
    if (g.set.law == Law::equality) continue;
    if (y[0] <= 0)
      mode_[i] = Mode::open;
    else if (tangential(g, y) > g.set.mu * y[0])
      mode_[i] = Mode::slide;
  }
}

void ProximalLaw::balance(const std::vector<double>& v, std::vector<double>& F) {
  look(v);
  for (const IslandBody& body : island_->bodies)
    for (int k = 0; k < body.size; ++k) {
      const std::size_t j = base::at(body.first + k);
      F[j] = body.mass[k] * (v[j] - island_->v_free[j]);
    }
  for (std::size_t i = 0; i < island_->groups.size(); ++i) {
    const Group& g = island_->groups[i];
    const double* y = &y_[base::at(g.first)];
    double* r = &r_[base::at(g.first)];
    std::fill(r, r + g.rows, 0.0);
    if (mode_[i] == Mode::open) continue;
    std::copy(y, y + carrying(g), r);
    if (mode_[i] == Mode::slide) {
      const double share = g.set.mu * y[0] / tangential(g, y);
      for (int k = 1; k < g.rows; ++k) r[k] *= share;
    }
    add_force(*island_, g, -1, r, F);
  }
}

void ProximalLaw::derivative(std::size_t i, double N[max_rows][max_rows]) const {
  const Group& g = island_->groups[i];
  const double* y = &y_[base::at(g.first)];
  for (int r = 0; r < g.rows; ++r) std::fill(N[r], N[r] + g.rows, 0.0);
  if (mode_[i] == Mode::open) return;
  if (mode_[i] == Mode::stick) {
    for (int r = 0; r < carrying(g); ++r) N[r][r] = k_[i];
    return;
  }
  const double length = tangential(g, y), mu = g.set.mu;
  N[0][0] = k_[i];
  for (int r = 1; r < g.rows; ++r) {
    N[r][0] = k_[i] * mu * y[r] / length;
    for (int c = 1; c < g.rows; ++c)
      N[r][c] = k_[i] * mu * y[0] / length * ((r == c) - y[r] * y[c] / (length * length));
  }
}

void ProximalLaw::assemble(linear::BlockLU& lu) const {
  lu.zero();
  add_masses(*island_, lu);
  double N[max_rows][max_rows];
  for (std::size_t i = 0; i < island_->groups.size(); ++i) {
    if (mode_[i] == Mode::open) continue;
    derivative(i, N);
    add_rows(*island_, island_->groups[i], N, false, lu);
  }
}

void ProximalLaw::multiply(const std::vector<double>& x, std::vector<double>& f) const {
  for (const IslandBody& body : island_->bodies)
    for (int k = body.first; k < body.first + body.size; ++k)
      f[base::at(k)] = body.mass[k - body.first] * x[base::at(k)];
  double N[max_rows][max_rows], u[max_rows], p[max_rows];
  for (std::size_t i = 0; i < island_->groups.size(); ++i) {
    if (mode_[i] == Mode::open) continue;
    const Group& g = island_->groups[i];
    derivative(i, N);
    row_velocities(*island_, g, x, u);
    for (int r = 0; r < g.rows; ++r) {
      p[r] = 0;
      for (int c = 0; c < g.rows; ++c) p[r] += N[r][c] * u[c];
    }
    add_force(*island_, g, 1, p, f);
  }
}

void ProximalLaw::growth(std::vector<double>& f) const {
  std::fill(f.begin(), f.end(), 0.0);
  double N[max_rows][max_rows], p[max_rows];
  for (std::size_t i = 0; i < island_->groups.size(); ++i) {
    if (mode_[i] == Mode::open || !grows_[i]) continue;
    const Group& g = island_->groups[i];
    derivative(i, N);
    for (int r = 0; r < g.rows; ++r) {
      p[r] = 0;
      for (int c = 0; c < g.rows; ++c) p[r] += N[r][c] * u_[base::at(g.first + c)];
    }
    add_force(*island_, g, -1, p, f);
  }
}

ProximalLaw::Rate ProximalLaw::rate(std::size_t i, const std::vector<double>& dv, double dt) const {
  const Group& g = island_->groups[i];
  Rate rate;
  row_velocities(*island_, g, dv, rate.y);
  const double own = grows_[i] ? dt : 0;
  for (int k = 0; k < g.rows; ++k)
    rate.y[k] = -k_[i] * (rate.y[k] + own * u_[base::at(g.first + k)]);
  return rate;
}

double ProximalLaw::gap(int group, Mode to) const {
  const Group& g = island_->groups[base::at(group)];
  const double* y = &y_[base::at(g.first)];
  if (mode(group) == Mode::open || to == Mode::open) return y[0];
  return tangential(g, y) - g.set.mu * y[0];
}

double ProximalLaw::gap_change(int group, Mode to, const std::vector<double>& dv, double dt) const {
  const Group& g = island_->groups[base::at(group)];
  const double* y = &y_[base::at(g.first)];
  const Rate d = rate(base::at(group), dv, dt);
  if (mode(group) == Mode::open || to == Mode::open) return d.y[0];
  double along = 0;
  for (int k = 1; k <= tangents(g); ++k) along += y[k] * d.y[k];
  return along / tangential(g, y) - g.set.mu * d.y[0];
}

bool ProximalLaw::leaves_corner(int group, Mode from, const std::vector<double>& dv,
                                double dt) const {
  const double change = gap_change(group, from, dv, dt);
  const bool outwards = from == Mode::open || (from == Mode::stick && mode(group) == Mode::slide);
  return outwards ? change > 0 : change < 0;
}

ProximalLaw::Corner ProximalLaw::next_corner(const std::vector<double>& dv, double dt, double most,
                                             int last) const {
  Corner corner{-1, Mode::open, most};
  for (std::size_t i = 0; i < island_->groups.size(); ++i) {
    const Group& g = island_->groups[i];
    if (g.set.law == Law::equality) continue;
    const int group = static_cast<int>(i);
    const double* y = &y_[base::at(g.first)];
    const Rate d = rate(i, dv, dt);
    const auto offer = [&](double where, Mode to) {
      if (where < corner.at) corner = {group, to, where};
    };
    // left: how far inside; falling: its rate.
    const auto falls = [&](double left, double falling, Mode to) {
      if (falling >= 0 || (group == last && left <= 2 * tiny())) return;
      offer(std::max(0.0, left) / -falling, to);
    };
    if (mode_[i] == Mode::open) {
      falls(-y[0], -d.y[0], tangents(g) > 0 ? Mode::slide : Mode::stick);
    } else if (mode_[i] == Mode::slide) {
      falls(y[0], d.y[0], Mode::open);
      double along = 0;
      for (int k = 1; k <= tangents(g); ++k) along += y[k] * d.y[k];
      const double length = tangential(g, y);
      falls(length - g.set.mu * y[0], along / length - g.set.mu * d.y[0], Mode::stick);
      // The direction of sliding may turn by half a radian: where the way is straight, it does not.
      if (tangents(g) == 2) {
        const double across = std::abs(y[1] * d.y[2] - y[2] * d.y[1]) / length;
        if (0.5 * length < corner.at * across) corner = {-1, Mode::open, 0.5 * length / across};
      }
    } else if (tangents(g) == 0) {
      falls(y[0], d.y[0], Mode::open);
    } else {
      const bool from_corner = group == last && tangential(g, y) - g.set.mu * y[0] >= -2 * tiny();
      offer(leaves_cone(g, y, d.y, from_corner), Mode::slide);
    }
  }
  return corner;
}

ProximalLaw::Place ProximalLaw::place(std::size_t i) const {
  const Group& g = island_->groups[i];
  const double* y = &y_[base::at(g.first)];
  Place place;
  const auto add = [&](double left, Mode to) {
    place.left[place.corners] = left;
    place.to[place.corners++] = to;
  };
  if (g.set.law == Law::equality) return place;
  const double outside = tangential(g, y) - g.set.mu * y[0];
  if (mode_[i] == Mode::open) {
    add(-y[0], tangents(g) > 0 ? Mode::slide : Mode::stick);
  } else if (mode_[i] == Mode::slide) {
    add(y[0], Mode::open);
    add(outside, Mode::stick);
  } else if (tangents(g) == 0) {
    add(y[0], Mode::open);
  } else {
    add(-outside, Mode::slide);
  }
  return place;
}

void ProximalLaw::remember() {
  start_.resize(island_->groups.size());
  for (std::size_t i = 0; i < start_.size(); ++i) start_[i] = place(i);
}

ProximalLaw::Corner ProximalLaw::passed(int last) const {
  Corner first{-1, Mode::open, 1};
  for (std::size_t i = 0; i < start_.size(); ++i) {
    const Place now = place(i), &before = start_[i];
    for (int k = 0; k < now.corners; ++k) {
      if (now.left[k] >= -4 * tiny()) continue;
      const int group = static_cast<int>(i);
      // Back through the corner it has come from: the way was not straight.
      const bool back = group == last && before.left[k] <= 2 * tiny();
      const double left = std::max(0.0, before.left[k]);
      const double share = back ? 0.3 : left / (left - now.left[k]);
      if (share < first.at) first = {back ? -1 : group, now.to[k], share};
    }
  }
  return first;
}

int ProximalLaw::choose_growing(double most, double spread, double& room) {
  double least = most;
  for (std::size_t i = 0; i < k_.size(); ++i)
    if (mode_[i] != Mode::open) least = std::min(least, k_[i]);
  const double end = std::min(most, spread * least);
  int growing = 0;
  for (std::size_t i = 0; i < k_.size(); ++i) {
    grows_[i] = k_[i] < end * (1 - 1e-7);
    if (!grows_[i] || mode_[i] == Mode::open) continue;
    ++growing;
    room = std::min(room, std::log(1.2 * end / k_[i]));  // or each would end a step of its own
  }
  return growing;
}

void ProximalLaw::soften(std::size_t i) {
  const Group& g = island_->groups[i];
  const double k = std::max(softening * k_[i], std::min(softest, k_[i]));
  for (int j = g.first; j < g.first + g.rows; ++j)
    r0_[base::at(j)] = r_[base::at(j)] + k / k_[i] * (r0_[base::at(j)] - r_[base::at(j)]);
  k_[i] = k;
}

void ProximalLaw::soften(const std::vector<double>& dv, double share, int last) {
  double most = 0;
  for (std::size_t i = 0; i < k_.size(); ++i) {
    const Group& g = island_->groups[i];
    double u[max_rows], sum = 0;
    row_velocities(*island_, g, dv, u);
    for (int k = 0; k < g.rows; ++k) sum += u[k] * u[k];
    stretch_[i] = mode_[i] == Mode::open ? 0 : k_[i] * std::sqrt(sum);
    most = std::max(most, stretch_[i]);
  }
  for (std::size_t i = 0; i < k_.size(); ++i)
    if (stretch_[i] >= share * most || static_cast<int>(i) == last) soften(i);
}

void ProximalLaw::soften_all() {
  for (std::size_t i = 0; i < k_.size(); ++i) soften(i);
}

double ProximalLaw::stiffest() const {
  return *std::max_element(k_.begin(), k_.end());
}

}  // namespace cairn::solver
