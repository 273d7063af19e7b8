// What the last search for contacts found of a pair of polyhedra. Reads what the pair's contacts
// depend on, bit by bit, and appends those of the last search where nothing of it has changed: what
// rests is not searched again.
#pragma once

#include <array>
#include <span>
#include <vector>

#include "cairn/contact.hpp"
#include "cairn/state.hpp"
#include "collide/pairs/poly_pair.hpp"
#include "collide/ratio/ratio.hpp"

namespace cairn::collide {

// Two polyhedra near each other and how they are kept apart.
struct PolyPair {
  ShapeId a{}, b{};
  double room = 0;  // how far they can come closer [m]
  PairAxis axis;
  int revised = 0;   // how often the axis was chosen again in this step
  RatioBasis basis;  // of the ratio metric, where it last ended
};

class KnownPairs {
 public:
  // All that the contacts of a pair depend on beside the model.
  struct Inputs {
    ShapeId a{}, b{};
    std::array<double, 29> numbers;  // both poses, both where they are expected, the room
    RatioBasis basis;                // where the search for the axis begins
    bool pressed = false;            // there were impulses in the last step,
    Features largest;                // the largest of this feature
  };
  struct Answer {
    PolyPair pair;
    bool near = false;       // the pair is one of those that are near each other
    bool postponed = false;  // contacts are found later
  };
  static Inputs inputs(ShapeId a, ShapeId b, std::span<const Pose* const, 4> poses, double room);

  // A new search, by these rules.
  void begin(const EventOptions& options);
  // Appends the contacts of the pair; null: they are not known. Pairs come in any order.
  const Answer* recall(const Inputs& inputs, std::vector<Contact>& contacts);
  // After recall() has given null, what was found. Kept from the second search with these inputs
  // on: what moves is not copied.
  void remember(const Inputs& inputs, const Answer& answer, std::span<const Contact> contacts);

 private:
  struct Entry {
    Inputs inputs;
    bool seen = false;      // the last search had the same inputs
    bool answered = false;  // and the rest is filled in
    Answer answer;
    std::size_t first = 0, count = 0;  // contacts
  };
  struct Generation {
    std::vector<Entry> entries;
    std::vector<Contact> contacts;
    bool sorted = true;
  };
  const Entry* last_of(const Inputs& inputs) const;

  EventOptions options_;
  Generation last_, now_;
};

}  // namespace cairn::collide
