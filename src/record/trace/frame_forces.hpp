// The contact forces of a step that are shown (E620), as bytes.
#pragma once

#include "bytes/bytes.hpp"
#include "cairn/trace.hpp"

namespace cairn::record {

void write_forces(const ShownForces& forces, bytes::ByteWriter& out);
// After contacts and solves. Islands name constraints and bodies that their solve has.
void read_forces(bytes::ByteReader& in, const StepReport& report, ShownForces& forces);

}  // namespace cairn::record
