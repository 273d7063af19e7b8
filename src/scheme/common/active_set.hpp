// Which contacts take part in a step (E36), and which were missed. Reads model and state, writes
// contacts.
#pragma once

#include "cairn/scheme.hpp"
#include "cairn/state.hpp"
#include "collide/finder.hpp"

namespace cairn::scheme {

inline constexpr int max_rounds = 20;  // of verification; each adds at least one contact

inline bool by_key(const Contact& a, const Contact& b) {
  return a.key < b.key;
}

// Which contacts are looked for: what the schemes' options have in common.
struct ActiveSetRule {
  ActiveSet active_set = ActiveSet::complete;
  double active_distance = 0;  // eps of active_set distance [m]
  double active_factor = 0;    // f of active_set speed [-]
  EventOptions events = {};    // of polyhedra
  double margin = 0;           // distance at which bodies touch, however slow they are [m]
};
inline ActiveSetRule active_set_rule(const Euler& o) {
  return {o.active_set, o.active_distance, o.active_factor, o.events, 0};
}

struct ActiveSetBuffers {
  explicit ActiveSetBuffers(const Model& model) : finder(model) {}
  collide::ContactFinder finder;
  std::vector<collide::Reach> reach;
  std::vector<Pose> ahead;      // where the old velocities lead
  std::vector<Contact> at_end;  // contacts that touch or overlap at the end of the step
  std::vector<Contact> fresh;   // of one pair of polyhedra
  std::vector<char> keep, pushed;
  std::vector<double> impulses;  // normal ones of the candidates
  collide::PatchFilter patches;
};

// Contacts that can close within h, by the rule; rows and frames are chosen.
void find_candidates(const Model& model, const State& state, const VecX& v_free,
                     std::span<const Pose> poses_end, const ActiveSetRule& rule, double h,
                     ActiveSetBuffers& buffers, std::vector<Contact>& candidates);
inline void find_candidates(const Model& model, const State& state, const VecX& v_free,
                            std::span<const Pose> poses_end, const Euler& options, double h,
                            ActiveSetBuffers& buffers, std::vector<Contact>& candidates) {
  find_candidates(model, state, v_free, poses_end, active_set_rule(options), h, buffers,
                  candidates);
}

// Contacts that overlap at poses_end go into buffers.at_end; returns the largest overlap [m].
double find_overlaps(const Model& model, std::span<const Pose> poses_end,
                     ActiveSetBuffers& buffers);

// Adds the overlapping contacts that are not among the candidates, as they are at the beginning of
// the step; returns how many. Of polyhedra see revise_polyhedra.
int add_missed(const Model& model, const State& state, ActiveSetBuffers& buffers,
               std::vector<Contact>& candidates);

// Polyhedra (E143, E144): pairs that overlap at the end get the events that were missed, or the
// axis by which they overlap least; pairs that are pushed although another axis keeps them apart
// are released. `impulses` are the normal ones of the candidates. Returns the number of pairs
// that changed; 0: the candidates were complete and none blocked a free motion.
int revise_polyhedra(const Model& model, const State& state, std::span<const Pose> poses_end,
                     std::span<const double> impulses, ActiveSetBuffers& buffers,
                     std::vector<Contact>& candidates);

}  // namespace cairn::scheme
