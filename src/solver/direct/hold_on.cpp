#include "solver/direct/hold_on.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <utility>

#include "base/index.hpp"
#include "solver/island/settle.hpp"

namespace cairn::solver {
namespace {

constexpr double slide = 1e-2;    // of the scale: held contacts that move faster slide
constexpr int rounds = 12;        // of projections into the cones
constexpr double gain = 0.7;      // at least, of each
constexpr double answer = 1e-12;  // residual that counts as an answer [-]
constexpr double still = 1e-14;   // and one that refinement does not improve [-]

// Walks over the numbers that a matrix is made of: compares them with those of the last one up to
// the first difference, and writes from there on.
class Entries {
 public:
  explicit Entries(std::vector<double>& kept) : kept_(kept) {}
  void add(const double* from, std::size_t count) {
    const bool fits = same_ && size_ + count <= kept_.size();
    same_ = fits && std::memcmp(&kept_[size_], from, count * sizeof(double)) == 0;
    if (!same_) {
      kept_.resize(size_);
      kept_.insert(kept_.end(), from, from + count);
    }
    size_ += count;
  }
  void add(double x) { add(&x, 1); }
  bool same() const { return same_ && size_ == kept_.size(); }

 private:
  std::vector<double>& kept_;
  std::size_t size_ = 0;
  bool same_ = true;
};

class HeldOn : public HeldSystem {
 public:
  HeldOn(const Island& island, HoldOnBuffers& buffers, const std::vector<double>& r)
      : HeldSystem(island, buffers), b_(buffers) {
    for (std::size_t i = 0; i < island.groups.size(); ++i) {
      const Group& g = island.groups[i];
      if (acts(g, &r[base::at(g.first)])) take_hold(i);
    }
  }

  int factors() const { return factors_; }  // used, new or kept

  // The residual of r and v; infinite where something slides or the matrix is singular. Impulses of
  // which nothing but rounding is left stay as they are, so that what rests repeats its step.
  double correct(std::vector<double>& r, std::vector<double>& v) {
    measure(v);
    if (rests(r, v)) return judge(r);
    if (!(fastest() <= slide * island_.scale) || !take_factor(r))
      return std::numeric_limits<double>::infinity();
    double outside = std::numeric_limits<double>::infinity();
    for (int round = 0;; ++round) {
      if (balance(r, v)) return judge(r);
      // (E1022): alternating projections, while they gain.
      const double now = put_inside(r);
      velocities_from_impulses(island_, r, v);
      measure(v);
      if (!(now > 0 && now < gain * outside) || round == rounds) break;
      outside = now;
    }
    return judge(r);
  }

 private:
  // Holds its bodies: a contact with an impulse, a joint, a drive or friction below its bounds.
  static bool acts(const Group& g, const double* r) {
    if (is_joint(g)) return true;
    if (is_unilateral(g.set.law)) return r[0] > 0;
    double size = 0;
    for (int k = 0; k < g.rows; ++k) size = std::max(size, std::abs(r[k]));
    if (g.set.law == Law::box) return r[0] > g.set.lo && r[0] < g.set.hi;
    return size < g.set.hi;
  }

  // Velocities that are rounding of what the impulses add up to are zero (E444), if the rows agree.
  bool rests(const std::vector<double>& r, std::vector<double>& v) {
    if (!settles(island_, r, v)) return false;
    b_.zero.assign(v.size(), 0.0);
    for (const IslandBody& body : island_.bodies)  // those of compliances are none of bodies
      if (body.source < 0)
        std::copy_n(&v[base::at(body.first)], body.size, &b_.zero[base::at(body.first)]);
    b_.moving = h_.u;
    measure(b_.zero);
    if (judge(r) <= still) {
      v = b_.zero;
      return true;
    }
    h_.u = b_.moving;
    return false;
  }

  // Corrections until nothing moves; true: what is left is rounding.
  bool balance(std::vector<double>& r, std::vector<double>& v) {
    double last = std::numeric_limits<double>::infinity();
    for (int i = 0; i < refinements; ++i) {
      const double now = move_along_rows(r, v);
      if (rests(r, v)) return true;
      if (!(now < 0.3 * last)) break;
      last = now;
    }
    return false;
  }

  // Moves the impulses of contacts into their cones; the largest distance.
  double put_inside(std::vector<double>& r) const {
    double most = 0;
    for (std::size_t i = 0; i < island_.groups.size(); ++i) {
      const Group& g = island_.groups[i];
      if (is_joint(g)) continue;
      double *r_i = &r[base::at(g.first)], p[max_rows];
      problem::project(g.set, r_i, p);
      for (int k = 0; k < g.rows; ++k) most = std::max(most, std::abs(p[k] - r_i[k]));
      std::copy_n(p, g.rows, r_i);
    }
    return most;
  }

  // (E1021): dr in the range of the rows with J^T dr = A dv, dv that of (E60). Returns the largest
  // velocity that was to be zero.
  double move_along_rows(std::vector<double>& r, std::vector<double>& v) {
    const double worst = solve_held();
    b_.force.assign(v.size(), 0.0);
    add_rest_product(island_, h_.x.data(), b_.force.data());
    for (const IslandBody& body : island_.bodies)
      for (int k = body.first; k < body.first + body.size; ++k)
        h_.x[base::at(k)] = body.mass[k - body.first] * h_.x[base::at(k)] + b_.force[base::at(k)];
    for (std::size_t i = 0; i < island_.groups.size(); ++i) {
      const Group& g = island_.groups[i];
      if (!is_joint(g)) continue;
      double back[max_rows];
      for (int k = 0; k < g.rows; ++k) back[k] = -std::exchange(border(i, h_.x)[k], 0.0);
      add_force(g, back, h_.x);
    }
    h_.lu.solve(h_.offsets, h_.x.data());
    for (std::size_t i = 0; i < island_.groups.size(); ++i) {
      const Group& g = island_.groups[i];
      double* r_i = &r[base::at(g.first)];
      double z[max_rows] = {};
      if (is_joint(g)) {
        for (int k = 0; k < g.rows; ++k) r_i[k] -= border(i, h_.x)[k];
        continue;
      }
      add_velocity(g, h_.x, z);
      for (int k = 0; k < h_.held[i]; ++k) r_i[k] += h_.stiffness[i] * z[k];
    }
    velocities_from_impulses(island_, r, v);
    measure(v);
    return worst;
  }

  double fastest() const {
    double worst = 0;
    for (std::size_t i = 0; i < island_.groups.size(); ++i)
      for (int k = 0; k < h_.held[i]; ++k)
        worst = std::max(worst, std::abs(h_.u[base::at(island_.groups[i].first + k)]));
    return worst;
  }

  // In proportion to the load (E313), in powers of two: a load that changes a little keeps the
  // matrix.
  void choose_stiffness(const std::vector<double>& r) {
    h_.stiffness.clear();
    for (const Group& g : island_.groups) {
      const int power = static_cast<int>(std::ceil(std::log2(load_of(island_, g, r))));
      h_.stiffness.push_back(std::min(most_stiffness, std::ldexp(hold_stiffness, power)));
    }
  }

  // Is the factor that is there that of the matrix? Keeps what the matrix is made of.
  bool is_kept() {
    Entries entries(b_.kept);
    for (const IslandBody& body : island_.bodies) {
      entries.add(body.size);
      entries.add(body.mass, base::at(body.size));
    }
    for (const RestBlock& rest : island_.inertia.rest) {
      entries.add(rest.row);
      entries.add(rest.column);
      entries.add(&rest.value[0][0], max_velocities * max_velocities);
    }
    for (std::size_t i = 0; i < island_.groups.size(); ++i) {
      const Group& g = island_.groups[i];
      entries.add(is_joint(g) ? -g.rows : h_.held[i]);
      if (h_.held[i] == 0) continue;
      entries.add(h_.stiffness[i]);
      for (int side = 0; side < g.sides; ++side) {
        entries.add(g.body[side]);
        if (g.body[side] < 0) continue;
        const int size = island_.bodies[base::at(g.body[side])].size;
        for (int k = 0; k < h_.held[i]; ++k) entries.add(g.J[side][k], base::at(size));
      }
    }
    return entries.same();
  }

  bool take_factor(const std::vector<double>& r) {
    choose_stiffness(r);
    ++factors_;
    // The same work and count as for a new one: the budget must not depend on what is kept.
    if (is_kept())
      return !island_.interrupted(h_.lu.products() + refinements * h_.lu.solve_products());
    analyze();
    if (stiffen()) return true;
    b_.kept.clear();
    return false;
  }

  HoldOnBuffers& b_;
  int factors_ = 0;
};

}  // namespace

IterationResult hold_on(const Island& island, HoldOnBuffers& b, std::vector<double>& r,
                        std::vector<double>& v) {
  IterationResult result{0, std::numeric_limits<double>::infinity()};
  b.trial = r;
  b.v = v;
  HeldOn held(island, b, r);
  if (const double found = held.correct(b.trial, b.v); found <= answer) {
    result.residual = found;
    r = b.trial;
    v = b.v;
  }
  result.iterations = held.factors();
  return result;
}

}  // namespace cairn::solver
