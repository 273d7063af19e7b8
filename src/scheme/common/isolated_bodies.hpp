// Bodies whose island touches nothing fixed or prescribed (E407): their contacts must conserve the
// angular momentum of the island.
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

  // Islands of joints and springs alone; then one contact with an impulse after the other; then the
  // bodies of islands that nothing holds are marked, beside those marked before. True: some are new.
  void begin(const Model& model);
  void join(const Model& model, BodyId a, BodyId b);
  bool mark(const Model& model);

  bool both(const ContactKey& key) const { return marked(key.body_a) && marked(key.body_b); }

 private:
  bool marked(BodyId id) const { return !marked_.empty() && marked_[index(id)] != 0; }

  base::UnionFind sets_;
  std::vector<char> touched_;       // has a contact with an impulse
  std::vector<char> held_, marked_;  // held: by something that is not free
};

}  // namespace cairn::scheme
