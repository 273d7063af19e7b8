// The sections of a frame that hold the verdict (VERD) and the parts of a divided step (PART).
#pragma once

#include "bytes/bytes.hpp"
#include "cairn/simulator.hpp"

namespace cairn::record {

void write_verdict(const Verdict& verdict, bytes::ByteWriter& out);
void read_verdict(bytes::ByteReader& in, Verdict& verdict);

void write_parts(const StepReport& report, bytes::ByteWriter& out);
// Refuses parts whose solves are not there; the solves are read before.
void read_parts(bytes::ByteReader& in, StepReport& report);

}  // namespace cairn::record
