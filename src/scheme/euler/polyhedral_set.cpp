// The events of polyhedra are chosen before the step and verified after it: how the choice is
// revised (E143, E144).
#include <algorithm>
#include <limits>
#include <optional>

#include "base/conventions.hpp"
#include "constrain/rows.hpp"
#include "scheme/common/active_set.hpp"

namespace cairn::scheme {
namespace {

struct Range {
  std::size_t first, end;
};

struct Revision {
  const Model& model;
  const State& state;
  std::span<const Pose> poses_end;
  ActiveSetBuffers& buffers;
  std::vector<Contact>& candidates;
  double rounding;  // [m]
  std::optional<std::pair<BodyId, BodyId>> bodies;
  double deepest;  // gap at the end among the candidates of these two [m]

  Range range_of(const collide::PolyPair& pair) const {
    return range_of(model.shapes[index(pair.a)].body, model.shapes[index(pair.b)].body, pair.a,
                    pair.a, pair.b, pair.b);
  }
  Range range_of(BodyId body_a, BodyId body_b, ShapeId first_a, ShapeId last_a, ShapeId first_b,
                 ShapeId last_b) const {
    constexpr std::uint32_t last = std::numeric_limits<std::uint32_t>::max();
    constexpr Features least{}, most{last, last};
    Contact from, to;
    from.key = {body_a, body_b, first_a, first_b, least};
    to.key = {body_a, body_b, last_a, last_b, most};
    const auto first = std::lower_bound(candidates.begin(), candidates.end(), from, by_key),
               end = std::upper_bound(candidates.begin(), candidates.end(), to, by_key);
    return {static_cast<std::size_t>(first - candidates.begin()),
            static_cast<std::size_t>(end - candidates.begin())};
  }

  void collect(const collide::PolyPair& pair) {
    buffers.fresh.clear();
    buffers.finder.collect(model, state.poses, poses_end, pair, buffers.fresh);
    for (Contact& c : buffers.fresh) constrain::orient(model, state.poses, c);
    std::erase_if(buffers.fresh, [](const Contact& c) { return c.rows == 0; });
  }

  // Leaves in `fresh` only what the corners of the patch need, seen with the contacts there are.
  void filter(const Range& known) {
    std::vector<Contact>& fresh = buffers.fresh;
    const std::size_t own = fresh.size();
    if (!buffers.finder.events.filter || own == 0) return;
    fresh.insert(fresh.begin(), candidates.begin() + static_cast<std::ptrdiff_t>(known.first),
                 candidates.begin() + static_cast<std::ptrdiff_t>(known.end));
    buffers.patches.mark(model, fresh, buffers.keep);
    std::size_t out = 0;
    for (std::size_t i = known.end - known.first; i < fresh.size(); ++i)
      if (buffers.keep[i]) fresh[out++] = fresh[i];
    fresh.resize(out);
  }

  void replace(collide::PolyPair& pair, const collide::PairAxis& axis) {
    const Range old = range_of(pair);
    candidates.erase(candidates.begin() + static_cast<std::ptrdiff_t>(old.first),
                     candidates.begin() + static_cast<std::ptrdiff_t>(old.end));
    pair.axis = axis;
    ++pair.revised;
    pair.room = std::max(pair.room, axis.separation - axis.separation_ahead);
    collect(pair);
    filter({old.first, old.first});
    insert();
  }

  void insert() {
    candidates.insert(candidates.end(), buffers.fresh.begin(), buffers.fresh.end());
    std::sort(candidates.begin(), candidates.end(), by_key);
  }

  double gap_at_end(const Contact& c) const {
    Contact later;
    return buffers.finder.find_one(model, poses_end, c.key, later)
               ? later.gap
               : std::numeric_limits<double>::infinity();
  }

  // Is the overlap one of the events that are there, which are met to first order only?
  bool explained(const collide::PolyPair& pair, double gap) {
    const Range known = range_of(pair);
    for (std::size_t i = known.first; i < known.end; ++i)
      if (gap_at_end(candidates[i]) <= gap + rounding) return true;
    return known.first == known.end && buffers.finder.events.filter && implied(pair.a, pair.b, gap);
  }

  // Or of other shapes of the two bodies, which stand for those of this pair?
  bool implied(ShapeId a, ShapeId b, double gap) {
    const BodyId body_a = model.shapes[index(a)].body, body_b = model.shapes[index(b)].body;
    if (model.body(body_a).shapes == 1 && model.body(body_b).shapes == 1) return false;
    if (bodies != std::optional(std::pair(body_a, body_b))) {
      bodies.emplace(body_a, body_b);
      deepest = std::numeric_limits<double>::infinity();
      auto first = [&](BodyId id) { return static_cast<ShapeId>(model.body(id).first_shape); };
      auto last = [&](BodyId id) {
        return static_cast<ShapeId>(model.body(id).first_shape + model.body(id).shapes - 1);
      };
      const Range all =
          range_of(body_a, body_b, first(body_a), last(body_a), first(body_b), last(body_b));
      for (std::size_t i = all.first; i < all.end; ++i)
        deepest = std::min(deepest, gap_at_end(candidates[i]));
    }
    return deepest <= gap + rounding;
  }

  // The pair overlaps at the end; true: its events were changed.
  bool repair(collide::PolyPair& pair) {
    const collide::PlacedPair now = buffers.finder.placed(model, state.poses, pair),
                              end = buffers.finder.placed(model, poses_end, pair);
    const collide::PairAxis axis =
        collide::choose_axis(now, end, std::numeric_limits<double>::infinity(), Vec3::Zero(),
                             buffers.finder.events, buffers.finder.scratch());
    const bool same =
        collide::direction(axis.axis, now.a, now.b)
            .dot(collide::direction(pair.axis.axis, now.a, now.b)) >= collide::same_way;
    if (!same && pair.revised == 0) {
      replace(pair, axis);
      return true;
    }
    collide::PolyPair again = pair;
    again.axis = axis;
    again.room = std::numeric_limits<double>::infinity();  // a blow may have brought it this far
    collect(again);
    const Range known = range_of(pair);
    std::erase_if(buffers.fresh, [&](const Contact& c) {
      if (std::binary_search(candidates.begin() + static_cast<std::ptrdiff_t>(known.first),
                             candidates.begin() + static_cast<std::ptrdiff_t>(known.end), c,
                             by_key))
        return true;
      collide::ShapeContact later;
      return !collide::evaluate(collide::event_of(c.key.feature), end.a, end.b,
                                buffers.finder.events.delta_max, later) ||
             !(later.gap < -rounding);
    });
    filter(known);
    insert();
    return !buffers.fresh.empty();
  }

  // The pair is pushed and apart; true: along another axis, it is free.
  bool release(collide::PolyPair& pair) {
    const collide::PlacedPair now = buffers.finder.placed(model, state.poses, pair),
                              end = buffers.finder.placed(model, poses_end, pair);
    collide::PairAxis other;
    if (!collide::other_axis(now, end, pair.axis, buffers.finder.events, buffers.finder.scratch(),
                             other))
      return false;
    replace(pair, other);
    return true;
  }
};

}  // namespace

int revise_polyhedra(const Model& model, const State& state, std::span<const Pose> poses_end,
                     std::span<const double> impulses, ActiveSetBuffers& buffers,
                     std::vector<Contact>& candidates) {
  CAIRN_DCHECK(poses_end.size() == model.bodies.size(), poses_end.size());
  Revision revision{model, state, poses_end, buffers, candidates, 1e-13 * model.length_unit, {}, 0};
  std::vector<collide::PolyPair>& pairs = buffers.finder.pairs();
  auto before = [](const collide::PolyPair& p, const ContactKey& key) {
    return std::pair(p.a, p.b) < std::pair(key.shape_a, key.shape_b);
  };
  int changes = 0;

  // Pushed pairs first: the impulses belong to the candidates as they are.
  buffers.pushed.assign(pairs.size(), 0);
  for (std::size_t i = 0; i < pairs.size(); ++i) {
    if (!pairs[i].axis.ambiguous || pairs[i].revised > 0) continue;
    const Range range = revision.range_of(pairs[i]);
    for (std::size_t k = range.first; k < range.end; ++k)
      if (impulses[k] > 0) buffers.pushed[i] = 1;
  }
  for (const Contact& end : buffers.at_end) {
    if (end.key.feature != collide::ContactFinder::along_axis || !(end.gap < -revision.rounding))
      continue;
    auto pair = std::lower_bound(pairs.begin(), pairs.end(), end.key, before);
    if (pair == pairs.end() || pair->a != end.key.shape_a || pair->b != end.key.shape_b) {
      if (buffers.finder.covered(end.key.shape_a, end.key.shape_b) &&
          revision.implied(end.key.shape_a, end.key.shape_b, end.gap))
        continue;
      // Faster than any of the velocities by which the reach was taken.
      const auto place = pair - pairs.begin();
      buffers.pushed.insert(buffers.pushed.begin() + place, 0);
      pair = pairs.insert(pair, collide::PolyPair{end.key.shape_a, end.key.shape_b, 0, {}, 1, {}});
      const collide::PlacedPair now = buffers.finder.placed(model, state.poses, *pair);
      pair->axis = collide::choose_axis(now, buffers.finder.placed(model, poses_end, *pair),
                                        std::numeric_limits<double>::infinity(), Vec3::Zero(),
                                        buffers.finder.events, buffers.finder.scratch());
      pair->room = std::max(0.0, pair->axis.separation - end.gap);
    }
    buffers.pushed[static_cast<std::size_t>(pair - pairs.begin())] = 0;
    if (!revision.explained(*pair, end.gap) && revision.repair(*pair)) ++changes;
  }
  for (std::size_t i = 0; i < pairs.size(); ++i)
    if (buffers.pushed[i] && revision.release(pairs[i])) ++changes;
  return changes;
}

}  // namespace cairn::scheme
