#include "collide/known_pairs.hpp"

#include <algorithm>
#include <cstring>

#include "base/index.hpp"

namespace cairn::collide {
namespace {

bool before(const KnownPairs::Inputs& x, const KnownPairs::Inputs& y) {
  return std::pair(x.a, x.b) < std::pair(y.a, y.b);
}

// Bit by bit: 0 and -0 differ.
bool same(const KnownPairs::Inputs& x, const KnownPairs::Inputs& y) {
  return x.pressed == y.pressed && x.largest == y.largest && x.basis.count == y.basis.count &&
         x.basis.of_a == y.basis.of_a && x.basis.facets == y.basis.facets &&
         std::memcmp(x.numbers.data(), y.numbers.data(), sizeof x.numbers) == 0;
}

bool same(const EventOptions& x, const EventOptions& y) {
  return x.filter == y.filter && x.eps_x == y.eps_x && x.eps_t == y.eps_t && x.eps_0 == y.eps_0 &&
         x.delta_max == y.delta_max;
}

}  // namespace

KnownPairs::Inputs KnownPairs::inputs(ShapeId a, ShapeId b, std::span<const Pose* const, 4> poses,
                                      double room) {
  Inputs inputs;
  inputs.a = a;
  inputs.b = b;
  double* to = inputs.numbers.data();
  for (const Pose* pose : poses) {
    to = std::copy_n(pose->p.data(), 3, to);
    to = std::copy_n(pose->R.coeffs().data(), 4, to);
  }
  *to = room;
  return inputs;
}

void KnownPairs::begin(const EventOptions& options) {
  std::swap(last_, now_);
  now_.entries.clear();
  now_.contacts.clear();
  now_.sorted = true;
  if (!last_.sorted)
    std::sort(last_.entries.begin(), last_.entries.end(),
              [](const Entry& x, const Entry& y) { return before(x.inputs, y.inputs); });
  if (!same(options, options_)) last_.entries.clear();
  options_ = options;
}

const KnownPairs::Entry* KnownPairs::last_of(const Inputs& inputs) const {
  const auto entry =
      std::lower_bound(last_.entries.begin(), last_.entries.end(), inputs,
                       [](const Entry& e, const Inputs& i) { return before(e.inputs, i); });
  return entry != last_.entries.end() && !before(inputs, entry->inputs) ? &*entry : nullptr;
}

const KnownPairs::Answer* KnownPairs::recall(const Inputs& inputs, std::vector<Contact>& contacts) {
  const Entry* last = last_of(inputs);
  if (!now_.entries.empty() && !before(now_.entries.back().inputs, inputs)) now_.sorted = false;
  Entry& entry = now_.entries.emplace_back();
  entry.inputs = inputs;
  entry.seen = last && same(last->inputs, inputs);
  if (!entry.seen || !last->answered) return nullptr;
  entry.answered = true;
  entry.answer = last->answer;
  entry.first = now_.contacts.size();
  entry.count = last->count;
  const std::span<const Contact> found(last_.contacts.data() + last->first, last->count);
  now_.contacts.insert(now_.contacts.end(), found.begin(), found.end());
  contacts.insert(contacts.end(), found.begin(), found.end());
  return &entry.answer;
}

void KnownPairs::remember(const Inputs& inputs, const Answer& answer,
                          std::span<const Contact> contacts) {
  CAIRN_DCHECK(!now_.entries.empty() && now_.entries.back().inputs.a == inputs.a &&
               now_.entries.back().inputs.b == inputs.b);
  Entry& entry = now_.entries.back();
  if (!entry.seen) return;
  entry.answered = true;
  entry.answer = answer;
  entry.first = now_.contacts.size();
  entry.count = contacts.size();
  now_.contacts.insert(now_.contacts.end(), contacts.begin(), contacts.end());
}

}  // namespace cairn::collide
