// Bodies of several polyhedra: shapes that lie flush know from their neighbours which way the body
// rests, and pairs in the midst of a patch are left out.
#include <algorithm>

#include "base/conventions.hpp"
#include "collide/finder.hpp"

namespace cairn::collide {

// Seen along the normal of a pair that touches.
void ContactFinder::measure(const Model& model, std::span<const Pose> poses, const PolyPair& first,
                            std::span<CompoundPair> group) {
  CAIRN_DCHECK(!group.empty());
  CAIRN_DCHECK(group[0].body_a < group[0].body_b);
  const PlacedPair touch = placed(model, poses, first);
  const Polyhedron::Edge& edge = touch.a.shape->edges[0];
  cover_.set_plane(direction(first.axis.axis, touch.a, touch.b),
                   touch.a.vertex(edge.head) - touch.a.vertex(edge.tail), touch.a.center());
  for (const BodyId id : {group[0].body_a, group[0].body_b}) {
    const Body& body = model.body(id);
    std::vector<PatchCover::Footprint>& prints = footprints_[id == group[0].body_a ? 0 : 1];
    prints.clear();
    for (int k = body.first_shape; k < body.first_shape + body.shapes; ++k) {
      const Shape& s = model.shapes[static_cast<std::size_t>(k)];
      prints.emplace_back();
      if (s.polyhedron >= 0)
        prints.back() =
            cover_.footprint(Placed(model.polyhedra[static_cast<std::size_t>(s.polyhedron)],
                                    poses[index(s.body)] * s.X_CS));
    }
  }
  const int first_a = model.body(group[0].body_a).first_shape,
            first_b = model.body(group[0].body_b).first_shape;
  for (CompoundPair& pair : group) {
    const PatchCover::Footprint
        &a = footprints_[0][index(pair.a) - static_cast<std::size_t>(first_a)],
        &b = footprints_[1][index(pair.b) - static_cast<std::size_t>(first_b)];
    pair.region = PatchCover::common(a, b);
    pair.separation = {b.bottom.height - a.top.height, b.bottom.x - a.top.x, b.bottom.y - a.top.y};
  }
}

// Can the contacts of some of the pairs stand for those of others?
bool ContactFinder::alike(const Model& model, std::span<const CompoundPair> group) const {
  CAIRN_DCHECK(!group.empty());
  auto law = [&](const CompoundPair& pair) {
    return model.pair(model.shapes[index(pair.a)].material, model.shapes[index(pair.b)].material);
  };
  const Shape& first = model.shapes[index(group[0].a)];
  return !model.polyhedra[static_cast<std::size_t>(first.polyhedron)].planar &&
         std::all_of(group.begin(), group.end(),
                     [&](const CompoundPair& pair) { return law(pair) == law(group[0]); });
}

// Two bodies with many pairs of shapes near each other. As soon as a pair touches its plane is
// known, then the pairs that reach farthest in it come first: what lies between their contacts adds
// nothing.
void ContactFinder::find_compound(const Query& q, std::span<CompoundPair> group,
                                  std::vector<Contact>& contacts) {
  CAIRN_DCHECK(!group.empty());
  for (const CompoundPair& pair : group)
    CAIRN_DCHECK(pair.body_a == group[0].body_a && pair.body_b == group[0].body_b);
  const std::size_t before = contacts.size(), known = neighbours_.size();
  auto look = [&](CompoundPair& pair) {
    if (!pair.done) find_polyhedra(q, pair.a, pair.b, contacts);
    pair.done = true;
  };
  std::size_t next = 0;
  while (next < group.size() && neighbours_.size() == known) look(group[next++]);
  if (!events.filter || group.size() - next <= 2 * PatchCover::directions ||
      !alike(q.model, group)) {
    for (CompoundPair& pair : group) look(pair);
    return;
  }
  measure(q.model, q.poses, poly_pairs_.back(), group);
  for (std::size_t k = 0; k < PatchCover::directions; ++k) {
    auto rank = [k](const CompoundPair& pair) {
      return std::pair(!PatchCover::empty(pair.region), pair.region[k]);
    };
    look(*std::max_element(group.begin(), group.end(),
                           [&](const auto& x, const auto& y) { return rank(x) < rank(y); }));
  }
  settle_postponed(q, contacts);
  const double size = q.model.smaller_radius(group[0].body_a, group[0].body_b);
  cover_.set_corners(std::span<const Contact>(contacts).subspan(before),
                     4 * PatchFilter::same_place * size, PatchFilter::same_gap * size);
  for (CompoundPair& pair : group) {
    if (!pair.done && cover_.covers(pair.region, pair.separation))
      covered_.emplace_back(pair.a, pair.b);
    else
      look(pair);
  }
}

void ContactFinder::find_compounds(const Query& q, std::vector<Contact>& contacts) {
  std::sort(compound_.begin(), compound_.end());
  for (std::size_t first = 0; first < compound_.size();) {
    std::size_t end = first + 1;
    while (end < compound_.size() && compound_[end].body_a == compound_[first].body_a &&
           compound_[end].body_b == compound_[first].body_b)
      ++end;
    find_compound(q, std::span(compound_).subspan(first, end - first), contacts);
    first = end;
  }
  settle_postponed(q, contacts);
  if (compound_.empty()) return;
  std::sort(poly_pairs_.begin(), poly_pairs_.end(), [](const PolyPair& x, const PolyPair& y) {
    return std::pair(x.a, x.b) < std::pair(y.a, y.b);
  });
  std::sort(covered_.begin(), covered_.end());
}

bool ContactFinder::covered(ShapeId a, ShapeId b) const {
  CAIRN_DCHECK(a < b, a, b);
  return std::binary_search(covered_.begin(), covered_.end(), std::pair(a, b));
}

std::pair<ContactFinder::Neighbours, ContactFinder::Neighbours> ContactFinder::neighbours(
    BodyId a, BodyId b) const {
  struct Order {
    bool operator()(const Neighbour& n, const std::pair<BodyId, BodyId>& key) const {
      return std::pair(n.a, n.b) < key;
    }
    bool operator()(const std::pair<BodyId, BodyId>& key, const Neighbour& n) const {
      return key < std::pair(n.a, n.b);
    }
  };
  return std::equal_range(neighbours_.begin(), neighbours_.end(), std::pair(a, b), Order{});
}

// Pairs of shapes with several equally good axes, after all others of the same bodies.
void ContactFinder::settle_postponed(const Query& q, std::vector<Contact>& contacts) {
  for (const std::size_t i : postponed_)
    CAIRN_DCHECK(i < poly_pairs_.size(), i, poly_pairs_.size());
  for (const std::size_t i : postponed_) {
    PolyPair& pair = poly_pairs_[i];
    const auto [first, end] =
        neighbours(q.model.shapes[index(pair.a)].body, q.model.shapes[index(pair.b)].body);
    for (auto n = first; n != end && !pair.axis.held; ++n) {
      axes_.basis = pair.basis;
      follow_neighbour(placed(q.model, q.poses, pair), placed(q.model, q.ahead, pair), n->n, events,
                       axes_, pair.axis);
    }
    collect(q.model, q.poses, q.ahead, pair, contacts);
  }
  postponed_.clear();
}

}  // namespace cairn::collide
