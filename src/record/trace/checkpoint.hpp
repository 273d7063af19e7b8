// Checkpoints as bytes: [magic][u32 byte order][u32 version][u32 sections][u32 CRC-32 of these],
// then sections [4-character tag][u64 length][payload][u32 CRC-32 of all of the section before it].
#pragma once

#include <array>
#include <cstdint>
#include <span>

#include "cairn/trace.hpp"
#include "record/trace/chunk.hpp"

namespace cairn::record {

inline constexpr std::array<char, 8> checkpoint_magic = {'C', 'A', 'I',  'R',
                                                         'N', 'C', '\n', '\x1a'};
inline constexpr std::uint32_t checkpoint_byte_order = 0x01020304;
inline constexpr std::size_t checkpoint_head = 24;  // [bytes]
inline constexpr const char* checkpoint_file = "checkpoint.cairn";

// The mandatory sections, in the order in which they are written. Others are skipped.
enum class CheckpointSection : std::uint8_t { run, scene, state };
inline constexpr std::array<SectionTag, 3> checkpoint_tags = {section_tag("RUN_"), tags::scene,
                                                              tags::state};

// A checkpoint from all bytes of a file; `path` is for the errors.
Result<Checkpoint> parse_checkpoint(std::span<const std::uint8_t> bytes, const std::string& path);

}  // namespace cairn::record
