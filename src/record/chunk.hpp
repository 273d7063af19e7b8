// Chunks of a trace: [u32 type][u64 length][payload][u32 CRC-32 of all before it].
#pragma once

#include <array>
#include <cstdint>

namespace cairn {

// The carriage return, line feed and end-of-file marks show at once if a transfer treated the file
// as text.
inline constexpr std::array<char, 8> trace_magic = {'C', 'A', 'I', 'R', 'N', '\r', '\n', '\x1a'};

enum class ChunkType : std::uint32_t { scene = 1, frame = 2, end = 3 };

inline constexpr std::size_t chunk_head = 12;  // type and length [bytes]
inline constexpr std::size_t chunk_tail = 4;   // checksum [bytes]
inline constexpr std::size_t file_head = 12;   // magic and version [bytes]

}  // namespace cairn
