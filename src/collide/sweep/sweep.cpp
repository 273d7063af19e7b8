#include "collide/sweep/sweep.hpp"

#include <algorithm>
#include <array>
#include <tuple>

#include "base/conventions.hpp"
#include "base/infinity.hpp"
#include "collide/sweep/advance.hpp"
#include "model/shape/inner_radius.hpp"

namespace cairn::collide {
namespace {

constexpr double at_once = 0.25;  // of the limit: a bound that needs no further direction
constexpr double at_ends = 0.5;   // of the limit: a bound that needs no search

// Depth over the whole path (E302) of two balls about their centres of mass: the support is the
// radius.
double depth_of_balls(const PairPath& pair, double limit) {
  const Vec3 from = pair.b.start.x_W - pair.a.start.x_W, to = pair.b.end.x_W - pair.a.end.x_W;
  const double radii = pair.a.solid.radius + pair.b.solid.radius;
  const auto bound = [&](const Vec3& d) {
    const Vec3 n = d.normalized();
    return std::min(n.dot(from) - radii, n.dot(to) - radii) - pair.bend();
  };
  double low = bound(from);
  if (low < -at_once * limit) low = std::max(low, bound(to));
  return std::max(0.0, -low);
}

// Depth over the whole path by the direction at its beginning, then by that at its end (E302).
double depth_by_ends(const PairPath& pair, double limit, DirectionFinder& directions) {
  if (pair.central_balls()) return depth_of_balls(pair, limit);
  const Moment start{0, &pair.a.start, &pair.b.start}, end{1, &pair.a.end, &pair.b.end};
  const DirectionFinder::Effort quick{.enough = -at_once * limit, .least = -base::infinity};
  directions.forget();
  const Direction first = directions.find(pair, start, quick);
  double low = pair.lower_bound_from(first.n, first.separation, start, end);
  if (low < -at_once * limit) {
    const Direction last = directions.find(pair, end, quick);
    low = std::max(low, pair.lower_bound_from(last.n, last.separation, end, start));
  }
  return std::max(0.0, -low);
}

}  // namespace

Sweeper::Sweeper(const Model& model) {
  for (const Shape& shape : model.shapes) {
    body_of_shape_.push_back(static_cast<int>(shape.body));
    movable_.push_back(model.body(shape.body).kind == BodyKind::dynamic ? 1 : 0);
    solids_.push_back(solid_of(model, shape));
  }
}

void Sweeper::follow_paths(const Model& model, std::span<const BodyPath> paths) {
  shapes_.resize(model.shapes.size());
  boxes_.resize(model.shapes.size());
  shifts_.resize(model.shapes.size());
  for (std::size_t i = 0; i < model.shapes.size(); ++i) {
    const Shape& shape = model.shapes[i];
    follow(solids_[i], shape.X_CS, paths[index(shape.body)], shapes_[i]);
    boxes_[i] = swept_box(shapes_[i]);
    shifts_[i] = shapes_[i].shift_W;
  }
}

// As ContactFinder::near_pairs, without pairs that have no contacts.
void Sweeper::find_pairs(const Model& model) {
  fat_pairs_.pairs({boxes_, shifts_, body_of_shape_, movable_}, pairs_);
  std::erase_if(pairs_, [&](const std::pair<int, int>& pair) {
    const auto i = static_cast<std::size_t>(pair.first), k = static_cast<std::size_t>(pair.second);
    const std::array bodies{model.shapes[i].body, model.shapes[k].body};
    return !can_separate(shapes_[i].solid, shapes_[k].solid) ||
           std::binary_search(model.no_contact.begin(), model.no_contact.end(), bodies);
  });
}

SweepSummary Sweeper::check(const Model& model, std::span<const BodyPath> paths, double share,
                            std::vector<SweepFinding>& findings) {
  CAIRN_DCHECK(paths.size() == model.bodies.size(), paths.size(), model.bodies.size());
  CAIRN_DCHECK(body_of_shape_.size() == model.shapes.size(), body_of_shape_.size());
  CAIRN_DCHECK(share > 0, share);
  follow_paths(model, paths);
  find_pairs(model);
  findings.clear();
  touching_.clear();
  SweepSummary summary;
  summary.pairs = static_cast<int>(pairs_.size());
  for (const auto& [i, k] : pairs_) {
    const auto first = static_cast<std::size_t>(i), second = static_cast<std::size_t>(k);
    const PairPath pair(shapes_[first], shapes_[second]);
    if (pair.never_meet() || pair.balls_stay_apart()) continue;
    const double radius =
        model::pair_inner_radius(model, model.shapes[first], model.shapes[second]);
    const double limit = share * radius;
    Advance found;
    if (pair.bend() < base::infinity) {
      found.depth = depth_by_ends(pair, limit, directions_);
      if (found.depth > at_ends * limit) {
        ++summary.searched;
        found = advance(pair, limit, directions_);
        summary.looks += found.looks;
      }
    } else {
      found = {pair.deepest_possible(), 0, 0};
    }
    if (found.depth > 0) touching_.emplace_back(i, k);
    summary.worst = std::max(summary.worst, found.depth / radius);
    if (found.tau < 1)
      findings.push_back({static_cast<ShapeId>(i), static_cast<ShapeId>(k), found.depth, limit,
                          found.tau, found.easy});
  }
  std::sort(findings.begin(), findings.end(), [](const SweepFinding& x, const SweepFinding& y) {
    return std::tuple(x.tau, x.a, x.b) < std::tuple(y.tau, y.a, y.b);
  });
  return summary;
}

}  // namespace cairn::collide
