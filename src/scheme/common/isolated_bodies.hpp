// Islands of bodies that touch nothing fixed or prescribed (E407, E408).
#pragma once

#include <vector>

#include "base/union_find.hpp"
#include "cairn/contact.hpp"
#include "cairn/model.hpp"

namespace cairn::scheme {

class IsolatedBodies {
 public:
  // No body is marked.
  void clear(const Model& model);

  // Islands of joints and springs; then contacts one by one; then what holds a body holds its
  // island.
  void begin(const Model& model);
  void join(const Model& model, BodyId a, BodyId b);
  void spread();

  // Marks the bodies with links in islands that nothing holds, beside those marked before. True:
  // some are new.
  bool mark();
  bool both(BodyId a, BodyId b) const { return marked(a) && marked(b); }
  bool both(const ContactKey& key) const { return both(key.body_a, key.body_b); }

  bool held(std::size_t body) { return held_[first(body)] != 0; }
  std::size_t first(std::size_t body) { return base::at(sets_.root(static_cast<int>(body))); }

 private:
  bool marked(BodyId id) const {
    return id != BodyId::world && !marked_.empty() && marked_[index(id)] != 0;
  }

  base::UnionFind sets_;
  std::vector<char> linked_;  // per body: to another free one
  std::vector<char> held_;    // per body, then per island: linked to something that is not free
  std::vector<char> marked_;
};

}  // namespace cairn::scheme
