#include "solver/fallback/proximal_path.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "solver/gradient/first_order.hpp"

namespace cairn::solver {
namespace {

using PathCorner = ProximalLaw::Corner;

// Stiffness in scaled rows, where W_ii is near one: at the start, at the end, and of the stiffest
// over the softest (E66).
constexpr double soft = 30, stiff = 1e6, stiffest = 1e8, stiffness_spread = 1000;

// A step may take t this far. Below the least share of what is left the way ends in a corner.
constexpr double longest_step = 1, least_step_share = 1e-9;

// Constraints that are stretched by this much of the most are softened; each try that does not turn
// the curve round takes more of them.
constexpr double first_share = 0.1, next_share = 0.7;
constexpr int most_tries = 20;

// Corners that a step may turn out to have passed.
constexpr int most_returns = 20;

// What of t counts as standing still.
constexpr double backwards = 1e-9;

// So many steps, all together shorter than this, lead from corner to corner and nowhere else.
constexpr int most_idle = 30;
constexpr double idle = 1e-6;

// With fewer factorisations than this there is no way.
constexpr int fewest_softened = 10;

// The way has been lost so often that there may be none.
constexpr int most_failures = 200;

double norm(const std::vector<double>& x) {
  return std::sqrt(std::inner_product(x.begin(), x.end(), x.begin(), 0.0));
}

class StiffeningPath {
 public:
  StiffeningPath(const Island& island, const ProximalPathLimits& limits,
                 ProximalPathBuffers& buffers, std::vector<double>& r, std::vector<double>& v)
      : island_(island), limits_(limits), b_(buffers), law_(buffers.law), r_(r), v_(v) {}

  IterationResult run();

 private:
  // The way ahead: tangent (dv, dt) of arc length one, or turned back.
  struct Way {
    double dt = 0;
    double length = 0;  // of the tangent with dt = 1
  };

  void set_up();
  bool factorize();
  bool find_way(Way& way, bool& turned);
  bool solve_at(double stiffness);
  bool newton(int most);
  bool begin(const std::vector<double>& centre);
  bool finish();
  bool go_on();
  bool way_ahead(Way& way);
  bool has_turned(const Way& way) const;
  bool turn_round(Way& way);
  bool goes_nowhere();
  bool step(const Way& way, double room);
  bool correct(const Way& way, double s, const PathCorner& corner);
  double rounding(double share) const;
  void offer();
  bool over() const { return result_.iterations >= most_ || island_.interrupted(); }

  const Island& island_;
  const ProximalPathLimits& limits_;
  ProximalPathBuffers& b_;
  ProximalLaw& law_;
  std::vector<double>&r_, &v_;
  IterationResult result_;
  double stiff_ = stiff;  // where the curve is to end
  int failures_ = 0;
  int most_ = 0;         // factorisations
  double momentum_ = 0;  // what the balance is judged by
  double velocity_ = 1;  // that counts as much as a factor of e in the stiffness
  double longest_ = 0;   // arc length that the last steps could be
  int last_ = -1;        // group that has just passed a corner
  ProximalLaw::Mode last_mode_ = ProximalLaw::Mode::open;  // and the mode it had before
  double tried_ = 1e300;  // residual of the best impulses that were a centre
  double last_dt_ = 0;    // of the step before; 0: none
  int watched_ = 0;       // steps, and how long they were together
  double gone_ = 0;
};

void StiffeningPath::set_up() {
  b_.factor.attach(island_);
  most_ = static_cast<int>(std::min(static_cast<double>(limits_.factorisations),
                                    limits_.products / std::max(1.0, b_.factor.products())));
  const std::size_t n = v_.size();
  for (auto* each : {&b_.F, &b_.change, &b_.trial, &b_.tangent, &b_.step, &b_.across})
    each->assign(n, 0.0);
  b_.move.resize(n + 1);
  double sum = 0, fastest = 0;
  for (const IslandBody& body : island_.bodies)
    for (int k = 0; k < body.size; ++k) {
      const auto j = static_cast<std::size_t>(body.first + k);
      const double change = body.mass[k] * (v_[j] - island_.v_free[j]);
      sum += change * change;
      fastest = std::max({fastest, std::abs(island_.v_free[j]), std::abs(v_[j])});
    }
  momentum_ = std::sqrt(sum);
  velocity_ = fastest > 0 ? 1e-4 * fastest : 1;
}

bool StiffeningPath::factorize() {
  if (island_.interrupted(b_.factor.products())) return false;
  ++result_.iterations;
  return b_.factor.factorize(law_);
}

// What of the balance counts as none: a share of the whole, and rounding, that of the velocities
// multiplied by springs.
double StiffeningPath::rounding(double share) const {
  return std::max(share * momentum_, 2e-15 * law_.stiffest() * island_.scale);
}

// Newton with the modes as they come, for a fixed stiffness.
bool StiffeningPath::newton(int most) {
  law_.look(v_);
  law_.find_modes();
  law_.balance(v_, b_.F);
  double now = norm(b_.F);
  const double enough = rounding(1e-10);
  for (int i = 0; i < most && now > enough; ++i) {
    if (over() || !factorize()) return false;
    b_.change = b_.F;
    b_.factor.solve(b_.change);
    double share = 1;
    for (int tries = 0;; ++tries, share *= 0.4) {
      for (std::size_t k = 0; k < v_.size(); ++k) b_.trial[k] = v_[k] - share * b_.change[k];
      law_.look(b_.trial);
      law_.find_modes();
      law_.balance(b_.trial, b_.F);
      if (norm(b_.F) < (1 - 0.1 * share) * now) break;
      if (tries == 5) return false;
    }
    now = norm(b_.F);
    v_ = b_.trial;
  }
  return now <= enough;
}

// A point of the curve: soft springs about these impulses.
bool StiffeningPath::begin(const std::vector<double>& centre) {
  last_ = -1;
  last_dt_ = 0;
  longest_ = 1e300;
  for (double stiffness = soft; stiffness > 1e-6; stiffness /= 3) {
    law_.set_centre(centre, stiffness);
    velocities_from_impulses(island_, centre, v_);
    if (newton(30)) return true;
    if (over()) return false;
  }
  return false;
}

void StiffeningPath::offer() {
  b_.ahead_v.resize(v_.size());
  velocities_from_impulses(island_, law_.impulses(), b_.ahead_v);
  const double now = residual(island_, law_.impulses(), b_.ahead_v);
  if (!(now < result_.residual)) return;
  result_.residual = now;
  b_.best = law_.impulses();
}

// All springs are stiff: Newton about the impulses of each solution, which closes in as fast as the
// stiffness is large. Where that fails this point of the curve is kept.
bool StiffeningPath::finish() {
  offer();
  if (result_.residual <= limits_.tolerance) return true;
  b_.kept_law = law_;
  b_.kept_v = v_;
  for (int i = 0; i < 12; ++i) {
    const double before = result_.residual;
    law_.set_centre(law_.impulses(), stiff_);
    if (!newton(30)) break;
    offer();
    if (result_.residual <= limits_.tolerance) return true;
    if (!(result_.residual < 0.5 * before)) break;
  }
  law_ = b_.kept_law;
  v_ = b_.kept_v;
  return false;
}

// The end of the curve is not the answer: on to stiffer springs where it is near, else once more
// about the best impulses, or the last where the best have been tried.
bool StiffeningPath::go_on() {
  if (++failures_ > most_failures) return false;
  if (result_.residual < 1e3 * limits_.tolerance && stiff_ < stiffest) {
    stiff_ *= 10;
    return true;
  }
  stiff_ = stiff;
  b_.centre = result_.residual < tried_ ? b_.best : law_.impulses();
  tried_ = result_.residual;
  return begin(b_.centre);
}

// (E65) at this point, towards stiffer springs.
bool StiffeningPath::way_ahead(Way& way) {
  law_.growth(b_.tangent);
  if (!b_.factor.solve_exactly(law_, 1e-4, b_.tangent)) return false;
  const double fast = norm(b_.tangent) / velocity_;
  way.length = std::sqrt(fast * fast + 1);
  way.dt = 1 / way.length;
  for (std::size_t k = 0; k < v_.size(); ++k) b_.step[k] = b_.tangent[k] / way.length;
  return std::isfinite(way.length);
}

// Whether the curve has come to this point the other way: from a corner the way ahead has to lead
// into the piece behind it, elsewhere it goes on where it went.
bool StiffeningPath::has_turned(const Way& way) const {
  if (last_dt_ == 0) return false;
  if (last_ >= 0) return !law_.leaves_corner(last_, last_mode_, b_.step, way.dt);
  return dot(b_.step, b_.last_step) / (velocity_ * velocity_) + way.dt * last_dt_ < 0;
}

// The way ahead, by the kept factor where that is near enough and nothing has turned; else by a new
// one, whose sign tells for certain.
bool StiffeningPath::find_way(Way& way, bool& turned) {
  turned = false;
  if (b_.factor.follow(law_) && way_ahead(way) && !has_turned(way)) return true;
  if (!factorize()) return false;
  turned = b_.factor.determinant_sign() < 0;
  return way_ahead(way);
}

// (E66): softens until the curve goes on towards stiffer springs; the factor is that of this point.
bool StiffeningPath::turn_round(Way& way) {
  offer();
  double share = first_share;
  for (int tries = 0;; ++tries, share *= next_share) {
    if (over() || tries > most_tries + 6) return false;
    law_.balance(v_, b_.F);
    if (tries < most_tries)
      law_.soften(b_.tangent, share, tries == 0 ? last_ : -1);
    else
      law_.soften_all();
    law_.look(v_);
    double room = longest_step;
    law_.choose_growing(stiff_, stiffness_spread, room);
    if (!factorize() || !way_ahead(way)) return false;
    if (b_.factor.determinant_sign() > 0) break;
  }
  last_ = -1;
  last_dt_ = 0;
  return true;
}

// Where pieces meet in a point that none of them leads away from, steps go round it.
bool StiffeningPath::goes_nowhere() {
  if (++watched_ < most_idle) return false;
  const bool nowhere = gone_ < idle;
  watched_ = 0;
  gone_ = 0;
  return nowhere;
}

// Back onto the curve from v + s dv, across it or along the corner, on the piece and with the
// factor of the point before.
bool StiffeningPath::correct(const Way& way, double s, const PathCorner& corner) {
  double t = way.dt * s, best = 1e300;
  const double enough = rounding(1e-8);
  b_.point.assign(v_.begin(), v_.end());
  for (std::size_t k = 0; k < v_.size(); ++k) b_.point[k] += s * b_.step[k];
  b_.point.push_back(t * velocity_);
  b_.anderson.begin();
  int without_gain = 0;
  for (int i = 0; i < 30; ++i) {
    t = b_.point.back() / velocity_;
    b_.trial.assign(b_.point.begin(), b_.point.end() - 1);
    law_.scale_growing(b_.stiffness, std::exp(t));
    law_.balance(b_.trial, b_.F);
    const double now = norm(b_.F);
    if (!std::isfinite(now)) return false;
    const double gap = corner.group < 0 ? 0 : law_.gap(corner.group, corner.to);
    if (now < enough && std::abs(gap) < law_.tiny())
      return corner.group < 0 || t > -backwards;  // else the corner lies behind, on this piece
    if (now < 0.7 * best) {
      best = now;
      without_gain = 0;
    } else if ((++without_gain > 3 && now > enough) || now > 100 * best) {
      return false;
    }
    b_.across = b_.F;
    b_.factor.solve(b_.across);
    double dt;
    if (corner.group >= 0) {
      const double of_t = law_.gap_change(corner.group, corner.to, b_.tangent, 1);
      dt = (law_.gap_change(corner.group, corner.to, b_.across, 0) - gap) / of_t;
    } else {
      const double scale = 1 / (velocity_ * velocity_);
      dt = scale * dot(b_.step, b_.across) / (scale * dot(b_.step, b_.tangent) + way.dt);
    }
    if (!(std::abs(dt) <= 3 * std::abs(way.dt * s) + 1e-3)) return false;
    for (std::size_t k = 0; k < v_.size(); ++k) b_.move[k] = dt * b_.tangent[k] - b_.across[k];
    b_.move.back() = dt * velocity_;
    b_.anderson.advance(b_.point, b_.move);
  }
  return false;
}

bool StiffeningPath::step(const Way& way, double room) {
  const double most = std::min(std::min(longest_step, std::max(room, 1e-9)) * way.length, longest_);
  PathCorner corner = law_.next_corner(b_.step, way.dt, most, last_);
  b_.stiffness = law_.stiffness();
  law_.remember();
  double s = corner.at;
  bool shortened = false;
  for (int returns = 0;;) {
    if (island_.interrupted(b_.factor.solve_products() +
                            cost::evaluation * static_cast<double>(island_.groups.size())))
      return false;
    if (correct(way, s, corner)) {
      // The curve bends: another constraint may have passed a corner on the way.
      const PathCorner passed = law_.passed(last_);
      if (passed.at >= 1 || ++returns > most_returns) break;
      s *= passed.at;
      corner.group = passed.group;
      corner.to = passed.to;
      continue;
    }
    if (!b_.factor.fresh()) {  // perhaps that is why
      law_.scale_growing(b_.stiffness, 1);
      law_.look(v_);
      if (!factorize()) return false;
      continue;
    }
    if (corner.group >= 0 && s <= least_step_share * way.length) {  // here it is
      law_.scale_growing(b_.stiffness, 1);
      b_.trial = v_;
      break;
    }
    if (s < 1e-12 * way.length) {
      law_.scale_growing(b_.stiffness, 1);
      return false;
    }
    s *= 0.3;
    corner.group = -1;
    shortened = true;
  }
  longest_ = shortened ? std::max(2 * s, least_step_share * way.length)
                       : std::max(3 * s, 1.5 * std::min(longest_, 1e290));
  v_ = b_.trial;
  gone_ += s;
  b_.last_step = b_.step;
  last_dt_ = way.dt;
  last_ = corner.group;
  if (last_ < 0) return true;
  last_mode_ = law_.mode(last_);
  law_.set_mode(last_, corner.to);
  return true;
}

IterationResult StiffeningPath::run() {
  velocities_from_impulses(island_, r_, v_);
  result_.residual = residual(island_, r_, v_);
  b_.best = r_;
  tried_ = result_.residual;
  set_up();
  law_.attach(island_, r_, soft);
  bool begun = most_ >= fewest_softened && begin(b_.best);
  while (begun && !over() && !(result_.residual <= limits_.tolerance)) {
    law_.look(v_);
    double room = longest_step;
    if (law_.choose_growing(stiff_, stiffness_spread, room) == 0) {
      if (finish()) break;
      begun = go_on();
      continue;
    }
    Way way;
    bool turned = false;
    if (!find_way(way, turned)) break;
    turned = turned || goes_nowhere();
    if (turned && !turn_round(way)) break;
    if (turned) {
      room = longest_step;
      law_.choose_growing(stiff_, stiffness_spread, room);
    }
    if (step(way, room)) continue;
    // Numerically stuck: look at where it is anew, on softer springs.
    if (over() || ++failures_ > most_failures) break;
    law_.look(v_);
    law_.balance(v_, b_.F);
    law_.soften_all();
    last_ = -1;
    last_dt_ = 0;
    longest_ = 1e300;
    begun = newton(30) || begin(b_.best);
  }
  r_ = b_.best;
  velocities_from_impulses(island_, r_, v_);
  return result_;
}

}  // namespace

IterationResult follow_proximal_path(const Island& island, const ProximalPathLimits& limits,
                                     ProximalPathBuffers& buffers, std::vector<double>& r,
                                     std::vector<double>& v) {
  return StiffeningPath(island, limits, buffers, r, v).run();
}

}  // namespace cairn::solver
