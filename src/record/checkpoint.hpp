// Checkpoints as bytes: [magic][u32 byte order][u32 version][u32 sections][u32 CRC-32 of these],
// then sections [u32 type][u64 length][payload][u32 CRC-32 of all of the section before it].
#pragma once

#include <array>
#include <cstdint>
#include <span>

#include "cairn/checkpoint.hpp"

namespace cairn {

inline constexpr std::array<char, 8> checkpoint_magic = {'C', 'A', 'I',  'R',
                                                         'N', 'C', '\n', '\x1a'};
inline constexpr std::uint32_t checkpoint_byte_order = 0x01020304;
inline constexpr std::size_t checkpoint_head = 24;  // [bytes]
inline constexpr const char* checkpoint_file = "checkpoint.cairn";

// The sections, in the order of the file.
enum class CheckpointSection : std::uint32_t { run = 1, scene = 2, state = 3 };
inline constexpr std::uint32_t checkpoint_sections = 3;

// A checkpoint from all bytes of a file; `path` is for the errors.
Result<Checkpoint> parse_checkpoint(std::span<const std::uint8_t> bytes, const std::string& path);

}  // namespace cairn
