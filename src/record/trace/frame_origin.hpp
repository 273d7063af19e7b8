// Where problems were posed (SolveOrigin) and the geometry of contacts as bytes.
#pragma once

#include "bytes/bytes.hpp"
#include "cairn/trace.hpp"

namespace cairn::record {

void write_pose(const Pose& X, bytes::ByteWriter& out);
Pose read_pose(bytes::ByteReader& in);
inline constexpr std::size_t pose_bytes = 7 * 8;

void write_geometry(const Contact& c, bytes::ByteWriter& out);
void read_geometry(bytes::ByteReader& in, Contact& c);
inline constexpr std::size_t geometry_bytes = 5 * 4 + 4 * 24 + 6 * 8 + 2;

// Poses and velocities stand beside the bodies and k of the problem.
bool origin_fits(const SolveOrigin& origin, const Problem& problem);
bool has_origins(const StepReport& report);
void write_origins(const StepReport& report, bytes::ByteWriter& out);
// After the solves; those that are not listed have none.
void read_origins(bytes::ByteReader& in, StepReport& report);
void clear_origins(StepReport& report);

}  // namespace cairn::record
