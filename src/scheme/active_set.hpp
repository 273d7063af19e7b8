// Which contacts take part in a step (E36), and which were missed. Reads model and state, writes
// contacts.
#pragma once

#include "cairn/scheme.hpp"
#include "cairn/state.hpp"
#include "collide/finder.hpp"

namespace cairn {

struct ActiveSetBuffers {
  explicit ActiveSetBuffers(const Model& model) : finder(model) {}
  ContactFinder finder;
  std::vector<Reach> reach;
  std::vector<Contact> at_end;  // contacts that touch or overlap at the end of the step
};

// Contacts that can close within h, by the rule of `options`; rows and frames are chosen.
void find_candidates(const Model& model, const State& state, const VecX& v_free,
                     std::span<const Pose> poses_end, const Euler& options, double h,
                     ActiveSetBuffers& buffers, std::vector<Contact>& candidates);

// Contacts that overlap at poses_end go into buffers.at_end; returns the largest overlap [m].
double find_overlaps(const Model& model, std::span<const Pose> poses_end,
                     ActiveSetBuffers& buffers);

// Adds the overlapping contacts that are not among the candidates, as they are at the beginning of
// the step; returns how many.
int add_missed(const Model& model, const State& state, ActiveSetBuffers& buffers,
               std::vector<Contact>& candidates);

}  // namespace cairn
