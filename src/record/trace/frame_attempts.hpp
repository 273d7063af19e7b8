// The methods that were tried on the worst problem of a step that is not certified, as bytes.
#pragma once

#include "bytes/bytes.hpp"
#include "cairn/trace.hpp"

namespace cairn::record {

bool has_attempts(const StepReport& report);
void write_attempts(const StepReport& report, bytes::ByteWriter& out);
// After the solves; without the section there are none.
void read_attempts(bytes::ByteReader& in, StepReport& report);
void clear_attempts(StepReport& report);

}  // namespace cairn::record
