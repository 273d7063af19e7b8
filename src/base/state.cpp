// Equality and hash of a State, bit by bit.
#include "cairn/state.hpp"

#include <algorithm>
#include <bit>
#include <cstring>
#include <iterator>

namespace cairn {

const char* name(Role role) {
  static constexpr const char* names[] = {"joint",   "gear",    "drive", "friction",
                                          "spring",  "rotor",   "limit", "contact",
                                          "torsion", "rolling", "given"};
  static_assert(std::size(names) == static_cast<std::size_t>(Role::given) + 1);
  return names[static_cast<std::size_t>(role)];
}

std::span<const ImpulseMemory> of_role(std::span<const ImpulseMemory> impulses, Role role) {
  const auto first =
      std::lower_bound(impulses.begin(), impulses.end(), role,
                       [](const ImpulseMemory& m, Role r) { return m.key.role < r; });
  const auto last = std::upper_bound(first, impulses.end(), role,
                                     [](Role r, const ImpulseMemory& m) { return r < m.key.role; });
  return {first, last};
}

const ImpulseMemory* find(std::span<const ImpulseMemory> impulses, const ConstraintKey& key) {
  const auto found =
      std::lower_bound(impulses.begin(), impulses.end(), key,
                       [](const ImpulseMemory& m, const ConstraintKey& k) { return m.key < k; });
  return found == impulses.end() || found->key != key ? nullptr : &*found;
}

bool State::operator==(const State& o) const {
  return t == o.t && step == o.step && poses == o.poses && v.size() == o.v.size() && v == o.v &&
         impulses == o.impulses && contact_anchors == o.contact_anchors &&
         v_before.size() == o.v_before.size() && v_before == o.v_before && pending == o.pending;
}

namespace {

// FNV-1a over 64-bit words with a final mix; order matters, so equal hashes mean equal states for
// all practical purposes.
class Hasher {
 public:
  void add(std::uint64_t word) {
    value_ ^= word;
    value_ *= 0x100000001b3ULL;
    value_ ^= value_ >> 29;
  }
  void add(double x) { add(std::bit_cast<std::uint64_t>(x)); }
  void add(const double* x, std::ptrdiff_t n) {
    add(static_cast<std::uint64_t>(n));
    for (std::ptrdiff_t i = 0; i < n; ++i) add(x[i]);
  }
  void add(const ContactKey& key) {
    for (const auto x :
         {static_cast<std::int32_t>(key.body_a), static_cast<std::int32_t>(key.body_b),
          static_cast<std::int32_t>(key.shape_a), static_cast<std::int32_t>(key.shape_b)})
      add(static_cast<std::uint64_t>(static_cast<std::uint32_t>(x)));
    add(static_cast<std::uint64_t>(key.feature.a) << 32 | key.feature.b);
  }
  void add(const ConstraintKey& key) {
    add(static_cast<std::uint64_t>(key.role) << 40 |
        static_cast<std::uint64_t>(key.coordinate) << 32 |
        static_cast<std::uint64_t>(static_cast<std::uint32_t>(key.element)));
    add(key.contact);
  }
  std::uint64_t value() const {
    std::uint64_t z = value_;
    z = (z ^ (z >> 33)) * 0xff51afd7ed558ccdULL;
    return z ^ (z >> 33);
  }

 private:
  std::uint64_t value_ = 0xcbf29ce484222325ULL;
};

}  // namespace

std::uint64_t hash(const State& state) {
  Hasher h;
  h.add(state.t);
  h.add(static_cast<std::uint64_t>(state.step));
  h.add(static_cast<std::uint64_t>(state.poses.size()));
  for (const Pose& pose : state.poses) {
    h.add(pose.p.data(), 3);
    h.add(pose.R.coeffs().data(), 4);
  }
  h.add(state.v.data(), state.v.size());
  h.add(static_cast<std::uint64_t>(state.impulses.size()));
  for (const ImpulseMemory& m : state.impulses) {
    h.add(m.key);
    h.add(m.impulse.data(), 3);
  }
  h.add(state.v_before.data(), state.v_before.size());
  h.add(static_cast<std::uint64_t>(state.pending.size()));
  for (const ContactKey& key : state.pending) h.add(key);
  h.add(static_cast<std::uint64_t>(state.contact_anchors.size()));
  for (const ContactAnchor& a : state.contact_anchors) {
    h.add(a.key);
    h.add(a.p_A.data(), 3);
    h.add(a.p_B.data(), 3);
  }
  return h.value();
}

}  // namespace cairn
