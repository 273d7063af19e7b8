#include "collide/finder.hpp"

#include <algorithm>
#include <optional>

#include "collide/limits.hpp"
#include "collide/ratio/flush_edges.hpp"
#include "model/conventions.hpp"

namespace cairn::collide {
namespace {

ShapeId shape_id(int i) {
  return static_cast<ShapeId>(i);
}

// Two spheres farther apart than `room`, by more than the rounding of their gap. Most neighbours
// in a pile are, since boxes overlap long before spheres do.
bool far_spheres(const Shape& a, const Shape& b, std::span<const Pose> poses, double room) {
  const auto *sphere_a = std::get_if<Sphere>(&a.geometry),
             *sphere_b = std::get_if<Sphere>(&b.geometry);
  if (!sphere_a || !sphere_b) return false;
  const auto centre = [&](const Shape& s) -> Vec3 { return poses[index(s.body)] * s.X_CS.p; };
  const Vec3 p_a = centre(a), p_b = centre(b);
  const double reach = sphere_a->radius + sphere_b->radius + room;
  const double terms = reach + p_a.lpNorm<1>() + p_b.lpNorm<1>();
  return (p_b - p_a).norm() > reach + 1e-14 * terms;
}

// Gap of two spheres; none where one of the shapes is another one.
std::optional<double> gap_of_spheres(const Shape& a, const Shape& b, std::span<const Pose> poses) {
  const auto *sphere_a = std::get_if<Sphere>(&a.geometry),
             *sphere_b = std::get_if<Sphere>(&b.geometry);
  if (!sphere_a || !sphere_b) return std::nullopt;
  const auto centre = [&](const Shape& s) -> Vec3 {
    const Pose& X_WC = poses[index(s.body)];
    return s.X_CS.p.isZero(0) ? X_WC.p : X_WC * s.X_CS.p;
  };
  return (centre(b) - centre(a)).norm() - (sphere_a->radius + sphere_b->radius);
}

}  // namespace

ContactFinder::ContactFinder(const Model& model) : flush_(flush_edges(model)) {
  for (const Shape& shape : model.shapes) {
    body_of_shape_.push_back(static_cast<int>(shape.body));
    movable_.push_back(model.body(shape.body).kind == BodyKind::dynamic ? 1 : 0);
  }
}

Contact ContactFinder::finish(const Model& model, ShapeId a, ShapeId b,
                              const ShapeContact& raw) const {
  CAIRN_DCHECK(a < b, a, b);
  CAIRN_DCHECK(base::is_index(static_cast<int>(b), model.shapes.size()), b);
  CAIRN_DCHECK(base::is_direction(raw.n_W), a, b, raw.n_W.norm());
  CAIRN_DCHECK(!std::isnan(raw.gap), a, b);
  Contact c;
  const Shape &shape_a = model.shapes[index(a)], &shape_b = model.shapes[index(b)];
  c.key = {shape_a.body, shape_b.body, a, b, raw.feature};
  c.p_WC = 0.5 * (raw.p_WA + raw.p_WB);
  c.n_W = raw.n_W;
  const Tangents t = tangents(c.n_W);
  c.t1_W = t.t1;
  c.t2_W = t.t2;
  c.gap = raw.gap;
  const ContactLaw pair = model.pair(shape_a.material, shape_b.material);
  c.friction = pair.friction;
  c.restitution = pair.restitution;
  c.restitution_law = pair.restitution_law;
  c.torsion = pair.torsional_friction;
  c.rolling = pair.rolling_friction;
  model::dcheck_contact(model, c);
  return c;
}

void ContactFinder::collide(const Model& model, std::span<const Pose> poses, ShapeId a, ShapeId b) {
  const Shape &shape_a = model.shapes[index(a)], &shape_b = model.shapes[index(b)];
  raw_.clear();
  if (!can_collide(shape_a.geometry, shape_b.geometry)) return;
  auto polyhedron = [&](const Shape& shape) {
    return shape.polyhedron < 0 ? nullptr
                                : &model.polyhedra[static_cast<std::size_t>(shape.polyhedron)];
  };
  collide_shapes(shape_a.geometry, poses[index(shape_a.body)] * shape_a.X_CS, shape_b.geometry,
                 poses[index(shape_b.body)] * shape_b.X_CS, raw_, polyhedron(shape_a),
                 polyhedron(shape_b));
  for (const ShapeContact& raw : raw_)
    CAIRN_DCHECK(base::is_direction(raw.n_W), a, b, raw.n_W.norm());
}

bool both_polyhedra(const Model& model, const Shape& a, const Shape& b) {
  return a.polyhedron >= 0 && b.polyhedron >= 0 &&
         model.polyhedra[static_cast<std::size_t>(a.polyhedron)].planar ==
             model.polyhedra[static_cast<std::size_t>(b.polyhedron)].planar;
}

PlacedPair ContactFinder::placed(const Model& model, std::span<const Pose> poses,
                                 const PolyPair& pair) const {
  CAIRN_DCHECK(pair.a < pair.b, pair.a, pair.b);
  CAIRN_DCHECK(both_polyhedra(model, model.shapes[index(pair.a)], model.shapes[index(pair.b)]),
               pair.a, pair.b);
  auto place = [&](ShapeId id) {
    const Shape& shape = model.shapes[index(id)];
    Placed p(model.polyhedra[static_cast<std::size_t>(shape.polyhedron)],
             poses[index(shape.body)] * shape.X_CS);
    if (events.filter && !flush_[index(id)].empty()) p.flush = flush_[index(id)].data();
    return p;
  };
  return {place(pair.a), place(pair.b)};
}

// Where the search for the pair's ratio metric ended the last time.
RatioBasis ContactFinder::last_basis(ShapeId a, ShapeId b) const {
  CAIRN_DCHECK(a < b, a, b);
  const auto pair = std::lower_bound(
      last_pairs_.begin(), last_pairs_.end(), std::pair(a, b),
      [](const PolyPair& p, const auto& key) { return std::pair(p.a, p.b) < key; });
  if (pair == last_pairs_.end() || pair->a != a || pair->b != b) return {};
  return pair->basis;
}

void ContactFinder::collect(const Model& model, std::span<const Pose> poses,
                            std::span<const Pose> ahead, const PolyPair& pair,
                            std::vector<Contact>& contacts) {
  raw_.clear();
  collect_events(placed(model, poses, pair), placed(model, ahead, pair), pair.axis, pair.room,
                 events, raw_);
  for (const ShapeContact& raw : raw_) contacts.push_back(finish(model, pair.a, pair.b, raw));
}

namespace {

// The feature of the pair's largest impulse of the last step.
void find_largest(const Model& model, std::span<const ImpulseMemory> memory,
                  KnownPairs::Inputs& inputs) {
  const ShapeId a = inputs.a, b = inputs.b;
  CAIRN_DCHECK(a < b, a, b);
  const ContactKey first{model.shapes[index(a)].body, model.shapes[index(b)].body, a, b, {}};
  auto entry = std::lower_bound(
      memory.begin(), memory.end(), first,
      [](const ImpulseMemory& m, const ContactKey& key) { return m.key.contact < key; });
  double largest = 0;
  for (;
       entry != memory.end() && entry->key.contact.shape_a == a && entry->key.contact.shape_b == b;
       ++entry) {
    if (!(entry->impulse.squaredNorm() > largest)) continue;
    largest = entry->impulse.squaredNorm();
    inputs.largest = entry->key.contact.feature;
    inputs.pressed = true;
  }
}

// Normal of that impulse, as its event is now.
Vec3 held_direction(const KnownPairs::Inputs& inputs, const PlacedPair& now,
                    const EventOptions& events) {
  ShapeContact c;
  if (!inputs.pressed || !evaluate(event_of(inputs.largest), now.a, now.b, events.delta_max, c))
    return Vec3::Zero();
  return c.n_W;
}

}  // namespace

void ContactFinder::search_polyhedra(const Query& q, const KnownPairs::Inputs& inputs,
                                     KnownPairs::Answer& answer, std::vector<Contact>& contacts) {
  PolyPair& pair = answer.pair;
  pair = {inputs.a, inputs.b, inputs.numbers.back(), {}, 0, inputs.basis};
  const PlacedPair now = placed(q.model, q.poses, pair);
  const double spheres = (now.b.center() - now.a.center()).norm() - now.a.shape->outer_radius -
                         now.b.shape->outer_radius;
  if (spheres > pair.room && !now.a.shape->planar) return;
  const double room =
      pair.room + events.eps_t * std::min(now.a.shape->outer_radius, now.b.shape->outer_radius);
  const PlacedPair then = placed(q.model, q.ahead, pair);
  axes_.basis = pair.basis;
  pair.axis = choose_axis(now, then, room, held_direction(inputs, now, events), events, axes_);
  pair.basis = axes_.basis;
  answer.near = axes_.separation[axes_.best] <= room;
  answer.postponed = answer.near && pair.axis.ambiguous && !pair.axis.held;
  if (!answer.near || answer.postponed) return;
  raw_.clear();
  collect_events(now, then, pair.axis, pair.room, events, raw_);
  for (const ShapeContact& raw : raw_) contacts.push_back(finish(q.model, inputs.a, inputs.b, raw));
}

void ContactFinder::find_polyhedra(const Query& q, ShapeId a, ShapeId b,
                                   std::vector<Contact>& contacts) {
  const BodyId body_a = q.model.shapes[index(a)].body, body_b = q.model.shapes[index(b)].body;
  const Pose* const poses[] = {&q.poses[index(body_a)], &q.poses[index(body_b)],
                               &q.ahead[index(body_a)], &q.ahead[index(body_b)]};
  double room = 0;
  for (const BodyId body : {body_a, body_b}) room += q.reach[index(body)].shift;
  KnownPairs::Inputs inputs = KnownPairs::inputs(a, b, poses, room);
  inputs.basis = last_basis(a, b);
  find_largest(q.model, q.memory, inputs);
  const std::size_t first = contacts.size();
  KnownPairs::Answer answer;
  if (const KnownPairs::Answer* known = known_.recall(inputs, contacts)) {
    answer = *known;
  } else {
    search_polyhedra(q, inputs, answer, contacts);
    known_.remember(inputs, answer, std::span<const Contact>(contacts).subspan(first));
  }
  if (!answer.near) return;
  poly_pairs_.push_back(answer.pair);
  if (answer.postponed) {
    postponed_.push_back(poly_pairs_.size() - 1);
    return;
  }
  if (contacts.size() == first || answer.pair.axis.ambiguous || !compound(q.model, body_a, body_b))
    return;
  const PlacedPair now = placed(q.model, q.poses, answer.pair);
  const Neighbour fresh{body_a, body_b, direction(answer.pair.axis.axis, now.a, now.b)};
  const auto [begin, end] = neighbours(body_a, body_b);
  if (std::none_of(begin, end, [&](const Neighbour& n) { return n.n.dot(fresh.n) > 1 - 1e-9; }))
    neighbours_.push_back(fresh);
}

// Contacts of one pair of bodies stand next to each other.
void ContactFinder::filter_patches(const Model& model, std::vector<Contact>& contacts) {
  CAIRN_DCHECK(std::is_sorted(contacts.begin(), contacts.end(),
                              [](const Contact& x, const Contact& y) { return x.key < y.key; }));
  kept_.clear();
  for (std::size_t first = 0; first < contacts.size();) {
    std::size_t end = first + 1;
    const ContactKey& key = contacts[first].key;
    while (end < contacts.size() && contacts[end].key.body_a == key.body_a &&
           contacts[end].key.body_b == key.body_b)
      ++end;
    const std::span<const Contact> group(contacts.data() + first, end - first);
    patches_.mark(model, group, keep_);
    CAIRN_DCHECK(keep_.size() >= group.size(), keep_.size(), group.size());
    for (std::size_t i = 0; i < group.size(); ++i)
      if (keep_[i]) kept_.push_back(group[i]);
    first = end;
  }
  std::swap(contacts, kept_);
}

void ContactFinder::find(const Model& model, std::span<const Pose> poses,
                         std::span<const Pose> ahead, std::span<const Reach> reach,
                         std::span<const ImpulseMemory> memory, std::vector<Contact>& contacts) {
  CAIRN_DCHECK(ahead.size() == poses.size(), ahead.size(), poses.size());
  CAIRN_DCHECK(reach.size() == model.bodies.size(), reach.size());
  CAIRN_DCHECK(base::is_strictly_sorted(memory, [](const ImpulseMemory& m) { return m.key; }));
  const Query query{model, poses, ahead, reach, memory};
  near_pairs(model, poses, reach);
  grown_ = boxes_;
  grown_pairs_ = pairs_;
  contacts.clear();
  std::swap(poly_pairs_, last_pairs_);
  poly_pairs_.clear();
  known_.begin(events);
  postponed_.clear();
  neighbours_.clear();
  compound_.clear();
  covered_.clear();
  missing_ = {-1, -1};
  for (const auto& [i, j] : pairs_) {
    const Shape &shape_a = model.shapes[static_cast<std::size_t>(i)],
                &shape_b = model.shapes[static_cast<std::size_t>(j)];
    if (both_polyhedra(model, shape_a, shape_b)) {
      if (compound(model, shape_a.body, shape_b.body))
        compound_.push_back({shape_a.body, shape_b.body, shape_id(i), shape_id(j), {}, {}, false});
      else
        find_polyhedra(query, shape_id(i), shape_id(j), contacts);
      continue;
    }
    if (missing_.first < 0 && !can_collide(shape_a.geometry, shape_b.geometry) &&
        !never_touch(shape_a.geometry, shape_b.geometry))
      missing_ = {i, j};
    const Reach &of_a = reach[index(shape_a.body)], &of_b = reach[index(shape_b.body)];
    if (of_a.turn == 0 && of_b.turn == 0 &&
        far_spheres(shape_a, shape_b, poses, of_a.shift + of_b.shift))
      continue;
    collide(model, poses, shape_id(i), shape_id(j));
    for (const ShapeContact& raw : raw_) {
      double room = of_a.shift + of_b.shift;
      if (of_a.turn > 0) room += of_a.turn * (raw.p_WA - poses[index(shape_a.body)].p).norm();
      if (of_b.turn > 0) room += of_b.turn * (raw.p_WB - poses[index(shape_b.body)].p).norm();
      if (raw.gap <= room) contacts.push_back(finish(model, shape_id(i), shape_id(j), raw));
    }
  }
  find_compounds(query, contacts);
  // Mostly they come in order; equal keys, whose order sort() chooses, are no order.
  if (!base::is_strictly_sorted(contacts, [](const Contact& c) { return c.key; }))
    std::sort(contacts.begin(), contacts.end(),
              [](const Contact& x, const Contact& y) { return x.key < y.key; });
  const std::size_t found = contacts.size();
  if (events.filter)
    filter_patches(model, contacts);
  else  // one event may be listed twice, from a face of each body
    contacts.erase(std::unique(contacts.begin(), contacts.end(),
                               [](const Contact& x, const Contact& y) { return x.key == y.key; }),
                   contacts.end());
  filtered_ = static_cast<int>(found - contacts.size());
  add_limits(model, poses, contacts);
  CAIRN_DCHECK(filtered_ >= 0, filtered_);
  model::dcheck_contacts(model, contacts);
}

double ContactFinder::polyhedra_gap(const Model& model, std::span<const Pose> poses, ShapeId a,
                                    ShapeId b) const {
  PolyPair pair{a, b, 0, {}, 0, last_basis(a, b)};
  const PlacedPair now = placed(model, poses, pair);
  return overlap_or_gap(now.a, now.b, overlap_rounding * model.length_unit, pair.basis);
}

void ContactFinder::find_overlaps(const Model& model, std::span<const Pose> poses,
                                  std::vector<Contact>& contacts) {
  overlapping_pairs(model, poses);
  contacts.clear();
  for (const auto& [i, j] : pairs_) {
    const Shape &shape_a = model.shapes[static_cast<std::size_t>(i)],
                &shape_b = model.shapes[static_cast<std::size_t>(j)];
    if (both_polyhedra(model, shape_a, shape_b)) {
      const double gap = polyhedra_gap(model, poses, shape_id(i), shape_id(j));
      if (!(gap <= 0)) continue;
      const PlacedPair now = placed(model, poses, {shape_id(i), shape_id(j), 0, {}, 0, {}});
      const ShapeContact raw{now.a.center(), now.b.center(), Vec3::UnitZ(), gap, along_axis};
      contacts.push_back(finish(model, shape_id(i), shape_id(j), raw));
      continue;
    }
    if (far_spheres(shape_a, shape_b, poses, 0)) continue;
    collide(model, poses, shape_id(i), shape_id(j));
    for (const ShapeContact& raw : raw_)
      if (raw.gap <= 0) contacts.push_back(finish(model, shape_id(i), shape_id(j), raw));
  }
}

void ContactFinder::find_depths(const Model& model, std::span<const Pose> poses,
                                std::span<const std::pair<int, int>> pairs,
                                std::vector<Depth>& depths) {
  depths.clear();
  for (const auto& [i, j] : pairs) {
    const Shape &shape_a = model.shapes[static_cast<std::size_t>(i)],
                &shape_b = model.shapes[static_cast<std::size_t>(j)];
    double gap = 0;
    if (both_polyhedra(model, shape_a, shape_b)) {
      gap = polyhedra_gap(model, poses, shape_id(i), shape_id(j));
    } else if (const std::optional<double> of_spheres = gap_of_spheres(shape_a, shape_b, poses)) {
      gap = *of_spheres;
    } else {
      collide(model, poses, shape_id(i), shape_id(j));
      for (const ShapeContact& raw : raw_) gap = std::min(gap, raw.gap);
    }
    if (gap < 0) depths.push_back({shape_id(i), shape_id(j), -gap});
  }
}

bool ContactFinder::find_one(const Model& model, std::span<const Pose> poses, const ContactKey& key,
                             Contact& contact) {
  if (is_limit(key)) {
    contact = limit_contact(model, poses, key);
    return true;
  }
  CAIRN_DCHECK(key.shape_a < key.shape_b, key.shape_a, key.shape_b);
  CAIRN_DCHECK(base::is_index(static_cast<int>(key.shape_b), model.shapes.size()), key.shape_b);
  if (both_polyhedra(model, model.shapes[index(key.shape_a)], model.shapes[index(key.shape_b)])) {
    const PlacedPair now = placed(model, poses, {key.shape_a, key.shape_b, 0, {}, 0, {}});
    ShapeContact raw;
    if (!evaluate(event_of(key.feature), now.a, now.b, events.delta_max, raw)) return false;
    contact = finish(model, key.shape_a, key.shape_b, raw);
    return true;
  }
  collide(model, poses, key.shape_a, key.shape_b);
  for (const ShapeContact& raw : raw_)
    if (raw.feature == key.feature) {
      contact = finish(model, key.shape_a, key.shape_b, raw);
      return true;
    }
  return false;
}

}  // namespace cairn::collide
