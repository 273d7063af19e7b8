// The search keeps a moment `here_` up to which everything is certified and tries strides from it.
// A stride is good if the separation along the direction at its beginning or at its end stays above
// -goal. The goal starts well inside the limit, so that the bound is sharp where that is cheap, and
// follows the deepest overlap that was met.
#include "collide/sweep/advance.hpp"

#include <algorithm>
#include <cmath>

#include "base/conventions.hpp"
#include "base/infinity.hpp"

namespace cairn::collide {
namespace {

constexpr int placements = 200;        // that a search without turns may look at
constexpr double per_radian = 24;      // further ones
constexpr int most_placements = 4000;  // in all
constexpr int after_failure = 60;      // to measure the depth beyond the limit

constexpr double first_goal = 0.25;    // of the limit
constexpr double margin = 1.25;        // of the goal over the deepest overlap met
constexpr double nearly = 0.98;        // of the limit: a depth at which short strides give up
constexpr double easily = 0.5;         // of the limit: a depth with room for what follows
constexpr double short_stride = 1e-4;  // of the path, and of a radian for paths that turn

// A placed pair with its best direction.
struct Stop {
  double tau = 0;
  Placement a, b;
  Direction best;

  Moment moment() const { return {tau, &a, &b}; }
};

class PathSearch {
 public:
  PathSearch(const PairPath& pair, double limit, DirectionFinder& directions)
      : pair_(pair), limit_(limit), directions_(directions) {
    budget_ = std::min(most_placements,
                       placements + static_cast<int>(std::min(1e6, per_radian * pair.turns())));
    shortest_ = short_stride / std::max(1.0, pair.turns());
  }

  Advance run() {
    start();
    if (passing_by()) return {depth_, 1, 1, work_};
    while (here_.tau < 1 && work_ < budget_) stride();
    if (here_.tau < 1) give_up();
    const double depth = std::min(depth_, pair_.deepest_possible());
    if (!(depth > limit_)) return {depth, 1, 1, work_};
    return {depth, failed_at_, std::min(easy_, failed_at_), work_};
  }

 private:
  void look(double tau, Stop& stop) {
    ++work_;
    stop.tau = tau;
    stop.a = place(pair_.a, tau);
    stop.b = place(pair_.b, tau);
  }

  void direct(Stop& stop) {
    // Beyond the limit a rough depth will do.
    const double least = failed_ ? -base::infinity : -goal();
    stop.best = directions_.find(pair_, stop.moment(), {.enough = 0, .least = least});
  }

  void start() {
    look(0, here_);
    direct(here_);
    arrive();
  }

  // The direction at the closest approach of the middles, for the whole path: bodies that fly past
  // each other.
  bool passing_by() {
    const Vec3 d = pair_.b.start.X_WS.p - pair_.a.start.X_WS.p;
    const Vec3 v = pair_.b.end.X_WS.p - pair_.a.end.X_WS.p - d;
    const double along = -d.dot(v), length2 = v.squaredNorm();
    if (!(along > 0 && along < length2)) return false;
    Stop closest;
    look(along / length2, closest);
    direct(closest);
    const double low = pair_.lower_bound(closest.best.n, {0, &pair_.a.start, &pair_.b.start},
                                         {1, &pair_.a.end, &pair_.b.end});
    if (low < -first_goal * limit_) return false;
    depth_ = std::max(depth_, -low);
    return true;
  }

  // Overlap up to which a stride is good.
  double goal() const {
    const double wanted = margin * deepest_;
    if (failed_) return wanted;
    return work_ > budget_ / 2 ? limit_ : std::clamp(wanted, first_goal * limit_, limit_);
  }

  void fail() {
    if (failed_) return;
    failed_ = true;
    failed_at_ = here_.tau;
    deepest_ = std::max(deepest_, limit_);
    budget_ = std::min(
        budget_, work_ + after_failure + static_cast<int>(std::min(4 * pair_.turns(), 200.0)));
  }

  // At a new moment that everything is certified up to.
  void arrive() {
    deepest_ = std::max(deepest_, -here_.best.separation);
    if (depth_ <= easily * limit_ && deepest_ <= easily * limit_) easy_ = here_.tau;
    depth_ = std::max(depth_, -here_.best.separation);
    if (-here_.best.separation > limit_) fail();
  }

  void accept(double low) {
    depth_ = std::max(depth_, -low);
    std::swap(here_, next_);
  }

  // Goes on from here_ as far as one stride leads.
  void stride() {
    length_ = std::min((eager_ ? 2 : 1) * length_, 1 - here_.tau);
    eager_ = true;
    while (work_ < budget_) {
      const double tau = length_ < 1 - here_.tau ? here_.tau + length_ : 1;
      if (!(tau > here_.tau)) return fail_here();
      look(tau, next_);
      const Direction ahead = here_.best;
      const double goal_now = goal(), low = low_along(ahead.n);
      if (low >= -goal_now) {
        if (tau < 1) direct(next_);
        accept(low);
        if (tau < 1) arrive();
        return;
      }
      direct(next_);
      const double low_back = low_along(next_.best.n);
      if (low_back >= -goal_now) {
        accept(low_back);
        return arrive();
      }
      const double speed = pair_.closing_speed(ahead.n);
      const double safe = speed > 0 ? (ahead.separation + goal_now) / speed : 1;  // (E303)
      if (length_ <= safe) {
        accept(ahead.separation - length_ * speed);
        return arrive();
      }
      const double shorter = shortened(ahead, low, goal_now);
      length_ = std::max(safe, shorter);
      eager_ = false;
      if (length_ < shortest_ && -ahead.separation > nearly * limit_ && !failed_) fail_here();
    }
  }

  double low_along(const Vec3& n) const {
    return pair_.lower_bound(n, here_.moment(), next_.moment());
  }

  // Where the bound along the direction would reach the goal if the separation were linear and its
  // curvature known; at least an eighth and at most a half of the stride that failed.
  double shortened(const Direction& ahead, double low, double goal_now) const {
    const double s0 = ahead.separation, s1 = pair_.separation(ahead.n, next_.moment());
    const double curvature = std::max(0.0, std::min(s0, s1) - low);  // times the stride squared
    const double fall = std::max(0.0, s0 - s1), room = std::max(0.0, s0 + goal_now);
    // Positive root of curvature x^2 + fall x = room.
    const double root = std::sqrt(fall * fall + 4 * curvature * room);
    const double x = fall + root > 0 ? 2 * room / (fall + root) : 1;
    return length_ * std::clamp(0.95 * x, 0.125, 0.5);
  }

  // Nothing more can be certified within the limit.
  void fail_here() {
    fail();
    length_ = std::max(length_, shortest_);
  }

  // The work is spent: what remains is bounded at once.
  void give_up() {
    if (!failed_) failed_at_ = here_.tau;
    const Stop end{1, pair_.a.end, pair_.b.end, {}};
    const double rest = (1 - here_.tau) * pair_.closing_speed(here_.best.n);
    const double low = std::max(here_.best.separation - rest,
                                pair_.lower_bound(here_.best.n, here_.moment(), end.moment()));
    depth_ = std::max(depth_, -low);
  }

  const PairPath& pair_;
  const double limit_;
  DirectionFinder& directions_;
  int budget_ = 0, work_ = 0;
  double shortest_ = 0;
  Stop here_, next_;
  double length_ = 1;   // of the last stride
  bool eager_ = true;   // it needed no second try
  double depth_ = 0;    // certified up to here_ [m]
  double deepest_ = 0;  // met at moments [m]
  bool failed_ = false;
  double failed_at_ = 1;
  double easy_ = 0;  // up to here the depth is well within the limit
};

}  // namespace

Advance advance(const PairPath& pair, double limit, DirectionFinder& directions) {
  CAIRN_DCHECK(limit > 0, limit);
  directions.forget();
  return PathSearch(pair, limit, directions).run();
}

}  // namespace cairn::collide
