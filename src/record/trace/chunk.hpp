// Chunks of a trace: [u32 type][u64 length][payload][u32 CRC-32 of all before it]. The payload is a
// sequence of sections (record/sections.hpp).
#pragma once

#include <array>
#include <cstdint>

#include "record/trace/sections.hpp"

namespace cairn::record {

// The carriage return, line feed and end-of-file marks show at once if a transfer treated the file
// as text.
inline constexpr std::array<char, 8> trace_magic = {'C', 'A', 'I', 'R', 'N', '\r', '\n', '\x1a'};

enum class ChunkType : std::uint32_t { scene = 1, frame = 2, end = 3 };

inline constexpr std::size_t chunk_head = 12;  // type and length [bytes]
inline constexpr std::size_t chunk_tail = 4;   // checksum [bytes]
inline constexpr std::size_t file_head = 12;   // magic and version [bytes]

namespace tags {
// Scene chunk.
inline constexpr SectionTag program = section_tag("PROG"), scene = section_tag("SCEN"),
                            version = section_tag("VERS");
// Frame chunk; `state` is also a section of checkpoints. Events, impacts, the work of dampers,
// verdict, parts, origins, attempts, shown forces and the state before are optional.
inline constexpr SectionTag step = section_tag("STEP"), measures = section_tag("MEAS"),
                            seconds = section_tag("TIME"), ledger = section_tag("LEDG"),
                            state = section_tag("STAT"), contacts = section_tag("CONT"),
                            events = section_tag("EVNT"), impacts = section_tag("IMPC"),
                            solves = section_tag("SOLV"), passive = section_tag("PASV"),
                            verdict = section_tag("VERD"), parts = section_tag("PART"),
                            origins = section_tag("ORIG"), attempts = section_tag("ATTM"),
                            forces = section_tag("FORC"), packed = section_tag("PACK"),
                            slim = section_tag("SLIM"), before = section_tag("BEFR"),
                            controls = section_tag("CTRL");
// End chunk.
inline constexpr SectionTag last = section_tag("LAST");
}  // namespace tags

}  // namespace cairn::record
