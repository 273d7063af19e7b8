// Packing and unpacking of frames, the tools of all parts: Pack is a PackWriter and what is packed
// constant, or Pack is a PackReader. What is read later is guessed from what was read before.
#pragma once

#include <algorithm>
#include <array>

#include "record/trace/packed/frame_guess.hpp"
#include "record/trace/packed/packed_frame.hpp"

namespace cairn::record {

inline double at(const VecX& x, Eigen::Index i) {
  return i >= 0 && i < x.size() ? x[i] : 0;
}

// The index of a contact, or -1.
inline std::int64_t find(const std::vector<ContactReport>& contacts, const ContactKey& key) {
  const auto found = std::lower_bound(
      contacts.begin(), contacts.end(), key,
      [](const ContactReport& c, const ContactKey& k) { return c.contact.key < k; });
  const bool there = found != contacts.end() && found->contact.key == key;
  return there ? found - contacts.begin() : -1;
}

template <class Pack, class Report>
class FrameTools {
 protected:
  FrameTools(Pack& pack, PackMemory& memory, Report& report)
      : p(pack),
        memory_(memory),
        scratch_(memory.scratch),
        before_(memory.state),
        report_(report) {}

  static constexpr bool reading = Pack::reading;
  static std::size_t base_at(int i) { return static_cast<std::size_t>(i); }

  template <class Vector>
  void vec3(Vector& x, const Vec3& guess) {
    for (int i = 0; i < 3; ++i) p.number(x[i], guess[i]);
  }
  template <class Numbers>
  void numbers(Numbers& x, const VecX& guess) {
    p.count(x, guess.size());
    for (Eigen::Index i = 0; i < x.size(); ++i) p.number(x[i], at(guess, i));
  }
  template <class Numbers>
  void integers(Numbers& x) {
    p.count(x, 0);
    std::int64_t guess = 0;
    for (auto& n : x) {
      p.integer(n, guess);
      guess = n + 1;
    }
  }
  template <class PoseOf>
  void pose(PoseOf& X, const Pose& guess) {
    vec3(X.p, guess.p);
    for (int i = 0; i < 4; ++i) p.number(X.R.coeffs()[i], guess.R.coeffs()[i]);
  }
  const Pose& pose_before(std::int64_t body) const {
    static const Pose none;
    return body >= 0 && static_cast<std::size_t>(body) < before_.poses.size()
               ? before_.poses[static_cast<std::size_t>(body)]
               : none;
  }
  // The nearest of several guesses, whose number is packed and returned. `likely`: that number.
  template <class Vector, std::size_t n>
  int nearest(Vector& x, const std::array<Vec3, n>& guesses, int likely = 0) {
    int choice = 0;
    if constexpr (!reading)
      for (int k = 1; k < static_cast<int>(n); ++k)
        if ((x - guesses[static_cast<std::size_t>(k)]).squaredNorm() <
            (x - guesses[static_cast<std::size_t>(choice)]).squaredNorm())
          choice = k;
    p.integer(choice, likely);
    if (choice < 0 || choice >= static_cast<int>(n)) {
      p.reject();
      choice = 0;
    }
    vec3(x, guesses[static_cast<std::size_t>(choice)]);
    return choice;
  }

  template <class Key>
  void plain_key(Key& key, const ContactKey& guess) {
    p.integer(key.body_a, static_cast<std::int64_t>(guess.body_a));
    p.integer(key.body_b, static_cast<std::int64_t>(guess.body_b));
    p.integer(key.shape_a, static_cast<std::int64_t>(guess.shape_a));
    p.integer(key.shape_b, static_cast<std::int64_t>(guess.shape_b));
    p.integer(key.feature.a, guess.feature.a);
    p.integer(key.feature.b, guess.feature.b);
  }
  // A key as the index of one of `contacts` that has it, most often the one after the last.
  // Returns the index; -1: none has.
  template <class Key>
  std::int64_t key_among(Key& key, const std::vector<ContactReport>& contacts, std::int64_t& last) {
    std::int64_t index = -1;
    if constexpr (!reading) {
      const auto next = static_cast<std::size_t>(last + 1);
      index = next < contacts.size() && contacts[next].contact.key == key ? last + 1
                                                                          : find(contacts, key);
    }
    p.integer(index, last + 1);
    if (index < -1 || index >= static_cast<std::int64_t>(contacts.size())) {
      p.reject();
      index = -1;
    }
    if (index < 0) {
      plain_key(key,
                last < 0 ? ContactKey{} : contacts[static_cast<std::size_t>(last)].contact.key);
      return -1;
    }
    if constexpr (reading) key = contacts[static_cast<std::size_t>(index)].contact.key;
    last = index;
    return index;
  }
  const Contact* contact_of_frame(std::int64_t index) const {
    return index < 0 ? nullptr : &report_.contacts[static_cast<std::size_t>(index)].contact;
  }

  Pack& p;
  const PackMemory& memory_;
  PackScratch& scratch_;
  const State& before_;
  Report& report_;
};

}  // namespace cairn::record
