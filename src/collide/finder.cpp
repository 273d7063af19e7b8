#include "collide/finder.hpp"

#include <algorithm>

namespace cairn {
namespace {

ShapeId shape_id(int i) {
  return static_cast<ShapeId>(i);
}

}  // namespace

ContactFinder::ContactFinder(const Model& model) {
  for (const Shape& shape : model.shapes) {
    body_of_shape_.push_back(static_cast<int>(shape.body));
    movable_.push_back(model.body(shape.body).kind == BodyKind::dynamic ? 1 : 0);
  }
}

Contact ContactFinder::finish(const Model& model, ShapeId a, ShapeId b,
                              const ShapeContact& raw) const {
  Contact c;
  const Shape &shape_a = model.shapes[index(a)], &shape_b = model.shapes[index(b)];
  c.key = {shape_a.body, shape_b.body, a, b, raw.feature};
  c.p_WC = 0.5 * (raw.p_WA + raw.p_WB);
  c.n_W = raw.n_W;
  const Tangents t = tangents(c.n_W);
  c.t1_W = t.t1;
  c.t2_W = t.t2;
  c.gap = raw.gap;
  const Material& pair = model.pair(shape_a.material, shape_b.material);
  c.friction = pair.friction;
  c.restitution = pair.restitution;
  return c;
}

void ContactFinder::collide(const Model& model, std::span<const Pose> poses, ShapeId a, ShapeId b) {
  const Shape &shape_a = model.shapes[index(a)], &shape_b = model.shapes[index(b)];
  raw_.clear();
  if (!can_collide(shape_a.geometry, shape_b.geometry)) return;
  collide_shapes(shape_a.geometry, poses[index(shape_a.body)] * shape_a.X_CS, shape_b.geometry,
                 poses[index(shape_b.body)] * shape_b.X_CS, raw_);
}

void ContactFinder::find(const Model& model, std::span<const Pose> poses,
                         std::span<const Reach> reach, std::vector<Contact>& contacts) {
  boxes_.clear();
  for (const Shape& shape : model.shapes) {
    Aabb box = bounds(shape.geometry, poses[index(shape.body)] * shape.X_CS);
    const Vec3 margin = Vec3::Constant(reach[index(shape.body)].shift);
    box.lo -= margin;
    box.hi += margin;
    boxes_.push_back(box);
  }
  broadphase_.pairs(boxes_, body_of_shape_, movable_, pairs_);
  contacts.clear();
  missing_ = {-1, -1};
  for (const auto& [i, j] : pairs_) {
    const BodyId a = model.shapes[static_cast<std::size_t>(i)].body,
                 b = model.shapes[static_cast<std::size_t>(j)].body;
    if (std::binary_search(model.no_contact.begin(), model.no_contact.end(), std::array{a, b}))
      continue;
    const Geometry &shape_a = model.shapes[static_cast<std::size_t>(i)].geometry,
                   &shape_b = model.shapes[static_cast<std::size_t>(j)].geometry;
    if (missing_.first < 0 && !can_collide(shape_a, shape_b) && !never_touch(shape_a, shape_b))
      missing_ = {i, j};
    collide(model, poses, shape_id(i), shape_id(j));
    const Reach &of_a = reach[index(a)], &of_b = reach[index(b)];
    for (const ShapeContact& raw : raw_) {
      double room = of_a.shift + of_b.shift;
      if (of_a.turn > 0) room += of_a.turn * (raw.p_WA - poses[index(a)].p).norm();
      if (of_b.turn > 0) room += of_b.turn * (raw.p_WB - poses[index(b)].p).norm();
      if (raw.gap <= room) contacts.push_back(finish(model, shape_id(i), shape_id(j), raw));
    }
  }
  std::sort(contacts.begin(), contacts.end(),
            [](const Contact& x, const Contact& y) { return x.key < y.key; });
}

bool ContactFinder::find_one(const Model& model, std::span<const Pose> poses, const ContactKey& key,
                             Contact& contact) {
  collide(model, poses, key.shape_a, key.shape_b);
  for (const ShapeContact& raw : raw_)
    if (raw.feature == key.feature) {
      contact = finish(model, key.shape_a, key.shape_b, raw);
      return true;
    }
  return false;
}

}  // namespace cairn
