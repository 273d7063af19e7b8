#include "scheme/common/isolated_bodies.hpp"

namespace cairn::scheme {
namespace {

bool is_free(const Model& model, BodyId id) {
  return id != BodyId::world && model.body(id).velocities > 0;
}

}  // namespace

void IsolatedBodies::clear(const Model& model) {
  marked_.assign(model.bodies.size(), 0);
}

void IsolatedBodies::begin(const Model& model) {
  sets_.reset(model.bodies.size());
  held_.assign(model.bodies.size(), 0);
  linked_.assign(model.bodies.size(), 0);
  for (const Joint& j : model.joints) join(model, j.bodies[0], j.bodies[1]);
  for (const Spring& s : model.springs) join(model, s.bodies[0], s.bodies[1]);
}

void IsolatedBodies::join(const Model& model, BodyId a, BodyId b) {
  const bool free_a = is_free(model, a), free_b = is_free(model, b);
  if (free_a && free_b) sets_.join(static_cast<int>(a), static_cast<int>(b));
  if (free_a) (free_b ? linked_ : held_)[index(a)] = 1;
  if (free_b) (free_a ? linked_ : held_)[index(b)] = 1;
}

void IsolatedBodies::spread() {
  for (std::size_t i = 0; i < held_.size(); ++i)
    if (held_[i]) held_[first(i)] = 1;
}

bool IsolatedBodies::mark() {
  bool more = false;
  for (std::size_t i = 0; i < held_.size(); ++i) {
    if (marked_[i] || !linked_[i] || held(i)) continue;
    marked_[i] = 1;
    more = true;
  }
  return more;
}

}  // namespace cairn::scheme
