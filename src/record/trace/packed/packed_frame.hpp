// The part of a frame that is most of it, packed (section PACK): state, contacts, problems with
// their answers, impacts, shown forces, origins and parts. Nothing is lost: a frame is unpacked
// bit for bit.
#pragma once

#include "bytes/bytes.hpp"
#include "cairn/trace.hpp"
#include "record/trace/packed/pack.hpp"

namespace cairn::record {

// Memory that is reused from frame to frame and means nothing between them.
struct PackScratch {
  std::vector<std::int64_t> old;         // of contacts: index in the memory, or -1
  std::vector<std::int64_t> contact_of;  // of constraints of the solve: index among contacts
  std::vector<int> of_contact;           // of contacts: constraint of the last solve
  std::vector<int> of_body;              // of the model's bodies: index in the problem
  VecX begin;                            // velocities of the beginning in the problem's units
  VecX velocities;                       // guesses
  std::vector<Pose> poses;
  std::vector<double> numbers;
};

// What is guessed from: the frame before.
struct PackMemory {
  State state;                          // at its end
  std::vector<Pose> poses;              // where its contacts were measured
  std::vector<ContactReport> contacts;  // sorted by key
  SolveRecord solve;                    // the first of the step
  VecX push;                            // its k less A v of the beginning
  PackScratch scratch;

  void clear();
  // After the frame was packed or unpacked. `state` is that at its end.
  void remember(const StepReport& report, const State& state);
};

void pack_frame(const StepReport& report, const State& state, std::uint64_t state_hash,
                const ShownForces& forces, PackMemory& memory, PackWriter& pack);

// The other sections of the frame have been read. False: damaged.
bool unpack_frame(PackMemory& memory, PackReader& pack, TraceFrame& frame);

}  // namespace cairn::record
