// The conventions of models, states and contacts, checked where CAIRN_DCHECKS is on.
#pragma once

#include <span>

#include "base/conventions.hpp"
#include "cairn/model.hpp"
#include "cairn/state.hpp"

namespace cairn::model {

#ifdef CAIRN_DCHECKS
void dcheck_model(const Model& model);
void dcheck_state(const Model& model, const State& state);
// Sorted by key, with units, frames and numbers that make sense.
void dcheck_contacts(const Model& model, std::span<const Contact> contacts);
// The same of one contact with its tangents.
void dcheck_contact(const Model& model, const Contact& contact);
#else
inline void dcheck_model(const Model&) {}
inline void dcheck_state(const Model&, const State&) {}
inline void dcheck_contacts(const Model&, std::span<const Contact>) {}
inline void dcheck_contact(const Model&, const Contact&) {}
#endif

}  // namespace cairn::model
